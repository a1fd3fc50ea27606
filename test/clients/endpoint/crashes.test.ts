/**
 * A thousand duplicate deliveries to two processes of one vendor, that are killed in the middle of their work again and again: in
 * the business table there is one row for each key.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { pgLedger } from '@tether/endpoint/pg';
import { expect, onTestFinished, test } from 'vitest';
import type { Answer } from '../../../server/domain/answer.ts';
import { probeCall } from '../../dispatch/calls.ts';
import { createDatabase } from '../../support/database.ts';
import { chargesTable, poolOf } from './ledgers.ts';
import { chargeCall, newSecret, tetherTo } from './shop.ts';

const program = new URL('./crashing-vendor.ts', import.meta.url);

/** One of the vendor's processes: started again, at the same port, whenever it has died. */
async function keepAlive(env: Record<string, string>, deaths: string[]) {
  let port = 0;
  let child: ChildProcess | undefined;
  let signals = 0;
  let closed = false;
  async function start(): Promise<void> {
    const { PATH = '' } = process.env;
    const DIES_AT = deaths.shift() ?? '';
    child = fork(program, { env: { PATH, ...env, PORT: String(port), DIES_AT } });
    const [address] = await once(child, 'message');
    port = address.port;
    child.once('exit', (_, signal) => {
      if (closed) return;
      if (signal === 'SIGKILL') signals += 1;
      restarted = start();
    });
  }
  let restarted = start();
  await restarted;
  return {
    url: `http://127.0.0.1:${port}`,
    /** Resolves when it answers again. */
    up: async () => restarted,
    get killed() {
      return signals;
    },
    async close() {
      await restarted;
      closed = true;
      child?.kill('SIGKILL');
    },
  };
}

test('1,000 duplicate deliveries, concurrent and cut off by kill -9, make one row for each key', {
  timeout: 300_000,
}, async () => {
  const database = await createDatabase({ empty: true });
  await database.query(chargesTable);
  const pool = poolOf(database.url);
  await pgLedger(pool).migrate();
  await pool.end();

  const secret = newSecret();
  const env = { DATABASE_URL: database.url, SIGNING_SECRET: secret };
  const deaths = [
    ['changed 3', 'recorded 4', 'committed 2', 'changed 1', 'committed 5'],
    ['committed 3', 'changed 2', 'recorded 1', 'committed 1', 'recorded 6'],
  ];
  const vendors = await Promise.all(deaths.map((each) => keepAlive(env, [...each])));
  onTestFinished(async () => {
    await Promise.all(vendors.map((vendor) => vendor.close()));
    await database.drop();
  });
  const tethers = vendors.map(({ url }) => tetherTo({ url, transport: 'json' }, [secret]));

  const calls = Array.from({ length: 100 }, () => chargeCall({}, { deadline: new Date(Date.now() + 3_600_000) }));
  const answers = new Map<string, Set<string>>(calls.map(({ requestId }) => [requestId, new Set<string>()]));
  let unanswered = 0;

  /** One delivery that really went out; while the process is away it waits for it. */
  async function deliver(number: number): Promise<void> {
    // Ten deliveries of each key at once, over both processes and as different attempts.
    const call = calls[Math.floor(number / 10)];
    const at = number % vendors.length;
    const [vendor, tether] = [vendors[at], tethers[at]];
    if (call === undefined || vendor === undefined || tether === undefined) throw new Error('no such delivery');
    for (;;) {
      const answer: Answer = await tether.write({ ...call, attempt: 1 + (number % 3) });
      if (answer.kind === 'failed' && answer.effect === 'NONE') {
        await vendor.up();
        continue;
      }
      if (answer.kind === 'succeeded') answers.get(call.requestId)?.add(answer.result);
      else unanswered += 1;
      return;
    }
  }

  const waiting = Array.from({ length: 1_000 }, (_, number) => number)[Symbol.iterator]();
  const deliverer = async () => {
    for (const number of waiting) await deliver(number);
  };
  await Promise.all(Array.from({ length: 32 }, deliverer));

  const killed = vendors.reduce((sum, vendor) => sum + vendor.killed, 0);
  expect(killed).toBeGreaterThanOrEqual(6);
  expect(unanswered).toBeGreaterThanOrEqual(killed);
  const rowsOf = async () =>
    new Map(
      (
        await database.query<{ account: string; rows: number }>(
          'select account, count(*)::int as rows from charges group by account',
        )
      ).map(({ account, rows }) => [account, rows]),
    );
  // A key whose deliveries were all cut off may have none yet; none has two.
  expect([...(await rowsOf())].filter(([, rows]) => rows !== 1)).toEqual([]);

  // Whoever was answered was answered the same, and whoever was not can still learn it.
  const [tether] = tethers;
  for (const call of calls) {
    const again = await tether?.write({ ...call, attempt: 3 });
    const results = answers.get(call.requestId) ?? new Set();
    if (again?.kind === 'succeeded') results.add(again.result);
    expect(results.size).toBe(1);
    expect(await tether?.probe(probeCall({ ...call, attempt: 3 }))).toEqual({
      ...{ disposition: 'EXECUTED', result: [...results][0], refusal: null },
    });
  }
  expect(await rowsOf()).toEqual(new Map(calls.map((call) => [call.requestId, 1])));
});
