import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfirmStatus } from '@tether/proto/tether/v1/action_service_pb.ts';
import { Effect } from '@tether/proto/tether/v1/effect_pb.ts';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrateAll } from '../../server/prepare-schema.ts';
import { startEmbedded } from '../../server/store/embedded/embedded.ts';
import { answers } from '../support/endpoint.ts';
import { openPlace, type Place, proposal, until } from './place.ts';
import { type ServerProcess, type Told, told } from './server-process.ts';

let place: Place;
let server: ServerProcess;

/** A PostgreSQL of this test's own, that comes back by itself after it was killed. */
beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tether-killed-'));
  const embedded = await startEmbedded({ dataDir });
  await migrateAll(embedded, pino({ enabled: false }));
  const pool = new pg.Pool({ connectionString: embedded.ownerUrl, max: 2 });
  pool.on('error', () => undefined);
  place = await openPlace({
    database: {
      url: embedded.ownerUrl,
      appUrl: embedded.url,
      query: async (sql, params = []) => (await pool.query(sql, [...params])).rows,
      forge: () => Promise.reject(new Error('nothing is forged here')),
      async drop() {
        await pool.end();
        await embedded.stop();
        await rm(dataDir, { recursive: true, force: true });
      },
    },
  });
  server = await place.server({ env: { TETHER_LOG_LEVEL: 'fatal' } });
});
afterAll(() => place.close());

async function killDatabase(): Promise<void> {
  const [row] = await place.database.query<{ data_directory: string }>('show data_directory');
  const file = await readFile(join(row?.data_directory ?? '', 'postmaster.pid'), 'utf8');
  process.kill(Number(file.split('\n')[0]), 'SIGKILL');
}

/** Asks until the database answers. */
function persistently<T>(ask: () => Promise<T>): Promise<T> {
  return until(
    () => ask().catch(() => undefined),
    (answer) => answer !== undefined,
  ) as Promise<T>;
}

async function stageSome(count: number): Promise<string[]> {
  const staged = await Promise.all(Array.from({ length: count }, () => server.agent.stage(proposal())));
  return staged.map(({ action }) => action?.id ?? '');
}

function confirmAll(ids: readonly string[]) {
  return Promise.all(ids.map((actionId) => told(server.approver.confirm({ actionId, expectedAttempts: 0 }))));
}

interface Row {
  readonly id: string;
  readonly state: string;
  readonly effect: string;
  readonly attempts: number;
  readonly version: number;
  readonly events: number;
}

function rowsOf(ids: readonly string[]): Promise<Row[]> {
  return persistently(() =>
    place.database.query<Row & pg.QueryResultRow>(
      `select id, state, effect, version,
         (select count(*)::int from attempt t where t.action_id = a.id) as attempts,
         (select count(*)::int from event e where e.action_id = a.id) as events
       from action a where id = any($1)`,
      [ids],
    ),
  );
}

/** Every lease is over, until nothing is under way. */
async function sweepAll(ids: readonly string[]): Promise<Row[]> {
  return until(
    async () => {
      await persistently(() =>
        place.database.query(
          `with old as (
             update attempt set started_at = started_at - interval '1 hour', deadline_at = deadline_at - interval '1 hour',
               lease_until = lease_until - interval '1 hour'
             where finished_at is null and lease_until > now() returning action_id)
           update action set sweep_at = now() from old where id = action_id`,
        ),
      );
      await persistently(async () => place.hurrySweeps().then(() => true));
      return rowsOf(ids);
    },
    (rows) => rows.every(({ state }) => state !== 'EXECUTING'),
  );
}

function callsOf(id: string): number {
  return place.endpoint.calls.filter(({ actionId }) => actionId === id).length;
}

function expectTruthful(rows: readonly Row[], heard: ReadonlyMap<string, Told<{ status: ConfirmStatus }>>): void {
  for (const { id, state, effect, attempts, version, events } of rows) {
    const calls = callsOf(id);
    expect(events).toBe(version);
    expect(calls).toBeLessThanOrEqual(attempts);
    expect(attempts).toBeLessThanOrEqual(1);
    expect(['SUCCEEDED/APPLIED', 'INDETERMINATE/UNKNOWN', 'PENDING/NONE']).toContain(`${state}/${effect}`);
    if (calls > 0) expect(effect).not.toBe('NONE');
    const answer = heard.get(id);
    if (answer?.kind === 'answered') expect(state).toBe('SUCCEEDED');
    if (answer?.kind === 'refused' && answer.effect === Effect.NONE) expect(calls).toBe(0);
  }
}

async function heardOf(ids: readonly string[], confirms: ReturnType<typeof confirmAll>) {
  const all = await confirms;
  return new Map(ids.map((id, k) => [id, all[k] ?? { kind: 'unknown' as const, status: '' }]));
}

test('a database killed while endpoints work: what was done is recorded, nothing is sent twice', async () => {
  const ids = await stageSome(20);
  const gate = Promise.withResolvers<void>();
  place.endpoint.answer(async () => {
    await gate.promise;
    return answers.result('{"ok":true}');
  });
  const before = place.endpoint.calls.length;
  const confirms = confirmAll(ids);
  await place.endpoint.arrived(before + ids.length);
  await killDatabase();
  gate.resolve();
  const heard = await heardOf(ids, confirms);
  const rows = await until(
    () => rowsOf(ids),
    (now) => now.every(({ state }) => state === 'SUCCEEDED'),
  );
  expectTruthful(rows, heard);
  expect(ids.map(callsOf)).toEqual(ids.map(() => 1));
}, 60_000);

test('a database killed in the middle of confirms: each ends settled, INDETERMINATE or untouched, and no attempt is called twice', async () => {
  const ids = await stageSome(60);
  place.endpoint.answer(answers.result('{"ok":true}'));
  const before = place.endpoint.calls.length;
  const confirms = confirmAll(ids);
  await place.endpoint.arrived(before + 5);
  await killDatabase();
  const heard = await heardOf(ids, confirms);
  const rows = await sweepAll(ids);
  expectTruthful(rows, heard);

  const untouched = rows.filter(({ state }) => state === 'PENDING').map(({ id }) => id);
  for (const answer of await confirmAll(untouched)) {
    expect(answer).toMatchObject({ kind: 'answered', response: { status: ConfirmStatus.EXECUTED } });
  }
  for (const id of ids) expect(callsOf(id)).toBeLessThanOrEqual(1);
}, 90_000);
