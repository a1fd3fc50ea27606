import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { parseCatalog } from '../../server/catalog/parse-catalog.ts';
import {
  blocked,
  call,
  database,
  elsewhere,
  ledger,
  logOf,
  newKey,
  newSecret,
  post,
  probe,
  program,
  read,
  run,
  shopsOfThisFile,
  startShop,
  voiding,
  write,
} from './shop.ts';

shopsOfThisFile();

describe('as a program', () => {
  test('it says where it answers, keeps its data, and ends in order on SIGTERM', async () => {
    const first = await startShop();
    await write(first, 'change_price', { item_id: 'flat-white', price_usd: 4.8 });
    first.process.kill('SIGTERM');
    expect(await first.exited).toEqual([0, null]);
    const second = await startShop();
    const { body } = await write(second, 'change_price', { item_id: 'flat-white', price_usd: 5 });
    expect(body).toMatchObject({ previous_price_usd: 4.8 });
    expect((await read(second, 'get_open_tickets')).body).toMatchObject({ returned: 7 });
  });

  test('a call in flight is answered before it ends', async () => {
    const shop = await startShop();
    const holder = await elsewhere("select from tickets where id = 'T-4417' for update");
    const answer = write(shop, 'void_ticket', voiding);
    await blocked();
    shop.process.kill('SIGTERM');
    await holder.commit();
    expect((await answer).body).toMatchObject({ status: 'void' });
    expect(await shop.exited).toEqual([0, null]);
  });

  test('it ends when the parent that started it with a channel is gone', async () => {
    const env = { PATH: process.env.PATH ?? '', POS_DATABASE_URL: database.url, POS_PORT: '0' };
    const child = fork(program, { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    const exited = once(child, 'exit');
    if (child.stdout === null) throw new Error('the shop has no output');
    await once(child.stdout, 'data');
    child.disconnect();
    expect(await exited).toEqual([0, null]);
  });

  test.each<[string, Record<string, string>, string]>([
    ['no database', {}, 'POS_DATABASE_URL must be the URL of a PostgreSQL database'],
    [
      'a port that is none',
      { POS_DATABASE_URL: 'postgres://127.0.0.1:1/x', POS_PORT: '80a' },
      'POS_PORT must be a port',
    ],
    [
      'a secret that is none',
      { POS_DATABASE_URL: 'postgres://127.0.0.1:1/x', POS_SIGNING_SECRET: 's3cret' },
      'POS_SIGNING_SECRET must be whsec_ and the base64 of 24 to 64 bytes, or two of them\n$',
    ],
    ['a database that is away', { POS_DATABASE_URL: 'postgres://127.0.0.1:1/x', POS_PORT: '0' }, 'ECONNREFUSED'],
  ])('with %s it ends with a reason', async (_, env, reason) => {
    const child = run(env);
    const exited = once(child, 'exit');
    if (child.stderr === null) throw new Error('no stderr');
    expect(await text(child.stderr)).toMatch(new RegExp(`^the point of sale cannot start: .*${reason}`));
    expect(await exited).toEqual([1, null]);
  });

  test('the catalog beside it declares the tools it has, and whether they write', async () => {
    const shop = await startShop();
    const file = new URL('../../examples/point-of-sale/tether.yaml', import.meta.url);
    const parsed = parseCatalog(readFileSync(file, 'utf8'), {
      env: { POS_SIGNING_SECRET: newSecret() },
      readFile: () => '',
    });
    if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
    const { body } = await read(shop, 'no_such_tool');
    expect(body).toMatchObject({ error: 'unknown_tool', received: 'no_such_tool' });
    expect([...parsed.catalog.tools.keys()]).toEqual(body.accepted);
    for (const [name, tool] of parsed.catalog.tools) {
      const wrong = await call(shop, tool.isWrite ? 'read' : 'execute', name, voiding);
      expect(wrong.body).toMatchObject({ error: 'wrong_mode', accepted: [tool.isWrite ? 'execute' : 'read'] });
    }
    expect(await ledger()).toEqual([]);
  });
});

test('killed between the write and its answer, it gives the repeat the first result', async () => {
  const shop = await startShop();
  // The commit itself waits for a lock of ours: a backend that commits does not notice that its client is gone.
  await database.query(`create function wait() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock(4417); return null; end'`);
  await database.query(`create constraint trigger wait after insert on idempotency_ledger
    deferrable initially deferred for each row execute function wait()`);
  const holder = await elsewhere('select pg_advisory_xact_lock(4417)');
  const key = newKey();
  const args = { ticket_id: 'T-4402', amount_usd: 10, reason: 'cold pizza' };
  const lost = write(shop, 'refund', args, { key }).then(
    () => 'answered',
    () => 'lost',
  );
  await blocked();
  shop.process.kill('SIGKILL');
  expect(await shop.exited).toEqual([null, 'SIGKILL']);
  expect(await lost).toBe('lost');
  expect(await ledger()).toEqual([]);

  const next = await startShop();
  expect((await probe(next, 'refund', key)).body).toEqual({ disposition: 'in_progress' });
  await holder.commit();
  const repeat = await write(next, 'refund', args, { key, attempt: 2 });
  expect(repeat).toMatchObject({ status: 200, body: { amount_usd: 10, refunded_total_usd: 10 } });
  expect(await database.query('select from refunds')).toHaveLength(1);
  expect(await ledger()).toEqual([{ key, tool: 'refund', result: repeat.text }]);
  expect((await logOf(next)).at(-1)).toMatchObject({ request_id: key, attempt: 2, answer: 'repeated' });
});

test('what is no call gets a reason', async () => {
  const shop = await startShop();
  const cases: [string, string, Record<string, string>, string][] = [
    ['no JSON', '{', {}, 'must be JSON'],
    ['a list', '[]', {}, 'a JSON object'],
    ['no key', '{"request_id":"a"}', {}, 'X-Tether-Idempotency-Key'],
    ['another key', '{"request_id":"a"}', { 'x-tether-idempotency-key': 'b' }, 'equal to request_id'],
    ['no tool', '{"request_id":"a"}', { 'x-tether-idempotency-key': 'a' }, 'name of a tool'],
    ['no args', '{"request_id":"a","tool":"x"}', { 'x-tether-idempotency-key': 'a' }, 'args must be an object'],
    [
      'no mode',
      '{"request_id":"a","tool":"x","args":{}}',
      { 'x-tether-idempotency-key': 'a' },
      'read, execute or probe',
    ],
    [
      'no deadline',
      '{"request_id":"a","tool":"x","args":{},"mode":"execute"}',
      { 'x-tether-idempotency-key': 'a' },
      'ISO 8601',
    ],
    ['too much', `"${'x'.repeat(1_100_000)}"`, {}, 'at most 1048576 bytes'],
  ];
  for (const [what, body, headers, reason] of cases) {
    const expected = { status: 400, body: { error: 'invalid_call', message: expect.stringContaining(reason) } };
    expect(await post(shop, body, headers), what).toMatchObject(expected);
  }
  expect((await fetch(`${shop.url}/elsewhere`)).status).toBe(404);
});
