import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseCatalog } from '../../server/catalog/parse-catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const program = fileURLToPath(new URL('../../examples/point-of-sale/main.ts', import.meta.url));

/** The vendor's program, in a process of its own as in life. */
interface Shop {
  readonly url: string;
  readonly process: ChildProcess;
  readonly exited: Promise<unknown[]>;
}

let database: TestDatabase;
let shops: Shop[] = [];

beforeEach(async () => {
  database = await createDatabase({ empty: true });
});

afterEach(async () => {
  for (const shop of shops) shop.process.kill('SIGKILL');
  await Promise.all(shops.map((shop) => shop.exited));
  shops = [];
  await database.drop();
});

function run(env: Record<string, string>): ChildProcess {
  const { PATH = '' } = process.env;
  return spawn(process.execPath, [program], { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function startShop(env: Record<string, string> = {}): Promise<Shop> {
  const child = run({ POS_DATABASE_URL: database.url, POS_PORT: '0', ...env });
  const exited = once(child, 'exit');
  if (child.stdout === null || child.stderr === null) throw new Error('the shop has no output');
  const complaints = text(child.stderr);
  const url = await new Promise<string>((resolve, reject) => {
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const ready = /^ready on (http:\S+)\/tools$/.exec(line)?.[1];
      if (ready !== undefined) resolve(ready);
    });
    void exited.then(async () => reject(new Error(await complaints)));
  });
  const shop = { url, process: child, exited };
  shops.push(shop);
  return shop;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

const newKey = (): string => randomUUID().replaceAll('-', '');
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

interface Options {
  readonly key?: string;
  readonly deadline?: Date;
  readonly attempt?: number;
  readonly header?: string;
}

async function post(shop: Shop, body: string, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(`${shop.url}/tools`, { method: 'POST', body, headers });
  const answer = await response.text();
  return { status: response.status, text: answer, body: JSON.parse(answer) };
}

function call(shop: Shop, mode: string, tool: string, args: unknown, options: Options = {}): Promise<Answer> {
  const { key = newKey(), deadline = new Date(Date.now() + 60_000), attempt = 1, header = key } = options;
  const envelope = {
    request_id: key,
    tool,
    args,
    tenant: { id: 'acme', scope: 'store-12', user_id: 'u_7' },
    is_write: mode === 'execute',
    mode,
    action_id: '',
    attempt,
    deadline,
  };
  return post(shop, JSON.stringify(envelope), { 'x-tether-idempotency-key': header });
}

const read = (shop: Shop, tool: string, args: unknown = {}) => call(shop, 'read', tool, args);
const write = (shop: Shop, tool: string, args: unknown, options?: Options) =>
  call(shop, 'execute', tool, args, options);

function probe(shop: Shop, tool: string, key: string, attempt = 1): Promise<Answer> {
  const tenant = { id: 'acme', scope: 'store-12', user_id: 'u_7' };
  const envelope = { request_id: key, tool, tenant, is_write: true, mode: 'probe', action_id: '', attempt };
  return post(shop, JSON.stringify(envelope), { 'x-tether-idempotency-key': key });
}

const voiding = { ticket_id: 'T-4417', reason: 'guest left' };

async function logOf(shop: Shop): Promise<Record<string, unknown>[]> {
  const lines = (await (await fetch(`${shop.url}/log`)).text()).trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

async function statusOf(ticket: string): Promise<unknown> {
  return (await database.query('select status from tickets where id = $1', [ticket]))[0]?.status;
}

const ledger = () => database.query('select key, tool, result from idempotency_ledger');

/** Resolves when a session in this database waits for a lock. */
async function blocked(): Promise<void> {
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  let found = 0;
  while (found === 0) found = (await database.query(waiting)).length;
}

/** A session of somebody else's, in a transaction. */
async function elsewhere(sql: string): Promise<{ commit: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('begin');
  await client.query(sql);
  return {
    commit: async () => {
      await client.query('commit');
      await client.end();
    },
  };
}

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

describe('reads', () => {
  test('open tickets come oldest first, with units, zones and numbers that a reader understands', async () => {
    const shop = await startShop();
    const { body } = await read(shop, 'get_open_tickets');
    expect(body).toEqual({
      tickets: [
        { ticket_id: 'T-4417', table: 12, total_usd: 84.5, opened_at: expect.stringMatching(/^\d{4}-.*Z$/) },
        expect.objectContaining({ ticket_id: 'T-4421', total_usd: 31 }),
        expect.objectContaining({ ticket_id: 'T-4423', total_usd: 13.5 }),
        expect.objectContaining({ ticket_id: 'T-4430', total_usd: 0 }),
        expect.objectContaining({ ticket_id: 'T-4435', total_usd: 10 }),
        expect.objectContaining({ ticket_id: 'T-4438', total_usd: 36 }),
        expect.objectContaining({ ticket_id: 'T-4441', total_usd: 13 }),
      ],
      returned: 7,
      truncated: false,
    });
  });

  test('a list that is cut says so, one that is whole does not, and an empty one is empty', async () => {
    const shop = await startShop();
    expect((await read(shop, 'get_open_tickets', { limit: 6 })).body).toMatchObject({ returned: 6, truncated: true });
    expect((await read(shop, 'get_open_tickets', { limit: 7 })).body).toMatchObject({ returned: 7, truncated: false });
    await database.query("update tickets set status = 'paid', closed_at = now() where status = 'open'");
    expect((await read(shop, 'get_open_tickets')).body).toEqual({ tickets: [], returned: 0, truncated: false });
    expect((await read(shop, 'get_open_tickets', { limit: 101 })).body).toMatchObject({ field: 'limit', limit: 100 });
  });

  test('a ticket comes with its lines; one that is not there is refused with where to look', async () => {
    const shop = await startShop();
    expect((await read(shop, 'get_ticket', { ticket_id: 'T-4402' })).body).toMatchObject({
      status: 'paid',
      total_usd: 44,
      refunded_usd: 0,
      refundable_usd: 44,
      closed_at: expect.stringMatching(/Z$/),
      lines: [{ item_id: 'margherita', name: 'Pizza Margherita', quantity: 2, unit_price_usd: 13 }, { quantity: 2 }],
    });
    expect((await read(shop, 'get_ticket', { ticket_id: 'T-4430' })).body).toMatchObject({
      lines: [],
      closed_at: null,
    });
    const price = { item_id: 'soda', name: 'Rhubarb soda', price_usd: 5 };
    expect((await read(shop, 'get_item', { item_id: 'soda' })).body).toEqual(price);
    const missing = await read(shop, 'get_ticket', { ticket_id: 'T-1' });
    expect(missing).toMatchObject({
      status: 200,
      body: { error: 'ticket_not_found', field: 'ticket_id', received: 'T-1' },
    });
    expect(missing.body.alternatives).toMatchObject([{ tool: 'get_open_tickets' }]);
  });
});

describe('writes', () => {
  test('what is done is done once, and stands in the log and in the ledger', async () => {
    const shop = await startShop();
    const key = newKey();
    const { body, text: first } = await write(shop, 'void_ticket', voiding, { key });
    expect(body).toMatchObject({ ticket_id: 'T-4417', status: 'void', total_usd: 84.5, reason: 'guest left' });
    expect(await statusOf('T-4417')).toBe('void');
    expect(await ledger()).toEqual([{ key, tool: 'void_ticket', result: first }]);
    expect(await logOf(shop)).toEqual([
      expect.objectContaining({
        tool: 'void_ticket',
        request_id: key,
        attempt: 1,
        user_id: 'u_7',
        args: voiding,
        answer: 'done',
      }),
    ]);
  });

  test('what cannot be done is refused with what would be accepted, and changes nothing', async () => {
    const shop = await startShop();
    const cases: [string, unknown, Record<string, unknown>][] = [
      [
        'void_ticket',
        { ticket_id: 'T-4402', reason: 'oops' },
        { error: 'ticket_not_open', received: 'paid', accepted: ['open'] },
      ],
      ['void_ticket', { ticket_id: 'T-0', reason: 'oops' }, { error: 'ticket_not_found', received: 'T-0' }],
      ['void_ticket', { ticket_id: 7, reason: 'oops' }, { error: 'invalid_argument', field: 'ticket_id', received: 7 }],
      ['void_ticket', { ticket_id: 'T-4417' }, { error: 'invalid_argument', field: 'reason' }],
      [
        'refund',
        { ticket_id: 'T-4417', amount_usd: 1, reason: 'oops' },
        { error: 'ticket_not_paid', received: 'open' },
      ],
      [
        'refund',
        { ticket_id: 'T-4402', amount_usd: 44.01, reason: 'oops' },
        { error: 'amount_exceeds_paid', limit: 44 },
      ],
      [
        'refund',
        { ticket_id: 'T-4402', amount_usd: 1.005, reason: 'oops' },
        { error: 'invalid_argument', received: 1.005 },
      ],
      [
        'refund',
        { ticket_id: 'T-4402', amount_usd: '5', reason: 'oops' },
        { error: 'invalid_argument', received: '5' },
      ],
      [
        'change_price',
        { item_id: 'flat-whit', price_usd: 5 },
        { error: 'item_not_found', accepted: expect.arrayContaining(['flat-white']) },
      ],
      ['change_price', { item_id: 'soda', price_usd: -1 }, { error: 'invalid_argument', field: 'price_usd' }],
    ];
    for (const [tool, args, refusal] of cases) {
      const answer = await write(shop, tool, args);
      const expected = { status: 200, body: { ...refusal, effect: 'NONE', retryable: false } };
      expect(answer, `${tool} ${JSON.stringify(args)}`).toMatchObject(expected);
      expect(answer.body.message).toMatch(/\.$/);
      expect((await logOf(shop)).at(-1)).toMatchObject({ answer: 'refused', error: refusal.error });
    }
    expect(await ledger()).toEqual([]);
    expect(await database.query("select from tickets where status = 'void'")).toHaveLength(1);
    expect(await database.query('select from refunds')).toEqual([]);
  });

  test('refunds add up to what was paid and no further, also at once', async () => {
    const shop = await startShop();
    const refund = (amount_usd: number) =>
      write(shop, 'refund', { ticket_id: 'T-4402', amount_usd, reason: 'cold pizza' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => refund(13)));
    expect(answers.filter(({ body }) => body.error === undefined)).toHaveLength(3);
    const { body } = await refund(13);
    expect(body).toMatchObject({ error: 'amount_exceeds_paid', received: 13, limit: 5 });
    const [rest] = body.alternatives as { arguments: { amount_usd: number } }[];
    expect((await refund(rest?.arguments.amount_usd ?? 0)).body).toMatchObject({
      amount_usd: 5,
      refunded_total_usd: 44,
    });
  });

  test('duplicates at once make one write, and all get its result', async () => {
    const shop = await startShop();
    const key = newKey();
    const args = { ticket_id: 'T-4402', amount_usd: 10, reason: 'cold pizza' };
    const answers = await Promise.all(Array.from({ length: 30 }, () => write(shop, 'refund', args, { key })));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ amount_usd: 10, refunded_total_usd: 10 });
    expect(await database.query('select from refunds')).toHaveLength(1);
    const said = (await logOf(shop)).map((line) => line.answer);
    expect(said.filter((answer) => answer === 'done')).toHaveLength(1);
    expect(said.filter((answer) => answer === 'repeated')).toHaveLength(29);
  });

  test('a key that was used for something else is refused', async () => {
    const shop = await startShop();
    const key = newKey();
    await write(shop, 'void_ticket', voiding, { key });
    for (const [tool, args] of [
      ['void_ticket', { ...voiding, ticket_id: 'T-4421' }],
      ['change_price', { item_id: 'soda', price_usd: 6 }],
    ] as const) {
      expect((await write(shop, tool, args, { key })).body).toMatchObject({
        error: 'idempotency_key_reused',
        received: key,
      });
    }
    expect(await statusOf('T-4421')).toBe('open');
    expect(await ledger()).toHaveLength(1);
  });

  test('a refusal is not remembered: the same call may be right later', async () => {
    const shop = await startShop();
    const key = newKey();
    const args = { ticket_id: 'T-4421', amount_usd: 31, reason: 'cold pizza' };
    expect((await write(shop, 'refund', args, { key })).body).toMatchObject({ error: 'ticket_not_paid' });
    await database.query("update tickets set status = 'paid', closed_at = now() where id = 'T-4421'");
    expect((await write(shop, 'refund', args, { key, attempt: 2 })).body).toMatchObject({ amount_usd: 31 });
  });
});

describe('the deadline', () => {
  test('a call that comes after it is turned away, and nothing is done', async () => {
    const shop = await startShop();
    const answer = await write(shop, 'void_ticket', voiding, { deadline: new Date(Date.now() - 1_000) });
    expect(answer).toMatchObject({ status: 425, body: { error: 'past_deadline', effect: 'NONE', retryable: true } });
    expect(answer.body.message).toMatch(/past its deadline .*, nothing was done/);
    expect(await statusOf('T-4417')).toBe('open');
    expect(await ledger()).toEqual([]);
  });

  test('one that came in time and would be done after it is not done either, by the clock of the database', async () => {
    // The shop's database tells the time of a table.
    await database.query('create schema told');
    await database.query("create table told.time as select timestamptz '2026-08-20T18:41:00Z' as now");
    await database.query(
      "create function told.clock_timestamp() returns timestamptz language sql volatile as 'select now from told.time'",
    );
    const url = new URL(database.url);
    url.searchParams.set('options', '-c search_path=told,pg_catalog');
    const shop = await startShop({ POS_DATABASE_URL: url.href });
    const deadline = new Date('2026-08-20T18:41:07Z');
    const holder = await elsewhere("select from told.tickets where id = 'T-4417' for update");
    const late = write(shop, 'void_ticket', voiding, { deadline });
    await blocked();
    await database.query("update told.time set now = '2026-08-20T18:41:07Z'");
    await holder.commit();
    expect((await late).body).toMatchObject({ error: 'past_deadline', received: '2026-08-20T18:41:07.000Z' });
    expect((await read(shop, 'get_ticket', { ticket_id: 'T-4417' })).body).toMatchObject({ status: 'open' });
    await database.query("update told.time set now = '2026-08-20T18:41:06Z'");
    expect((await write(shop, 'void_ticket', voiding, { deadline })).body).toMatchObject({ status: 'void' });
  });

  test('a repeat gets the first result at any time', async () => {
    const shop = await startShop();
    const key = newKey();
    const first = await write(shop, 'void_ticket', voiding, { key });
    const again = await write(shop, 'void_ticket', voiding, { key, attempt: 2, deadline: new Date(0) });
    expect(again).toEqual(first);
  });
});

describe('a probe', () => {
  test('of what was done gives the first result, as it was sent', async () => {
    const shop = await startShop();
    const key = newKey();
    const done = await write(shop, 'void_ticket', voiding, { key });
    const answer = await probe(shop, 'void_ticket', key, 3);
    expect(answer).toMatchObject({ status: 200, text: `{"disposition":"executed","result":${done.text}}` });
    expect((await logOf(shop)).at(-1)).toMatchObject({ tool: 'void_ticket', request_id: key, answer: 'executed' });
  });

  test('of what was not done promises that it never will be: the attempt is turned away when it comes', async () => {
    const shop = await startShop();
    const key = newKey();
    expect((await probe(shop, 'void_ticket', key, 2)).body).toEqual({ disposition: 'not_executed' });
    // A question about an earlier attempt takes nothing back.
    expect((await probe(shop, 'void_ticket', key, 1)).body).toEqual({ disposition: 'not_executed' });
    for (const attempt of [1, 2]) {
      expect(await write(shop, 'void_ticket', voiding, { key, attempt })).toMatchObject({
        status: 425,
        body: { error: 'attempt_withdrawn', received: attempt, effect: 'NONE', retryable: true },
      });
    }
    expect(await statusOf('T-4417')).toBe('open');
    expect(await ledger()).toEqual([]);
    expect((await write(shop, 'void_ticket', voiding, { key, attempt: 3 })).body).toMatchObject({ status: 'void' });
    expect((await probe(shop, 'void_ticket', key, 3)).body).toMatchObject({ disposition: 'executed' });
  });

  test('of what is being done says so, and fences nothing off', async () => {
    const shop = await startShop();
    const key = newKey();
    const holder = await elsewhere("select from tickets where id = 'T-4417' for update");
    const slow = write(shop, 'void_ticket', voiding, { key });
    await blocked();
    expect((await probe(shop, 'void_ticket', key)).body).toEqual({ disposition: 'in_progress' });
    await holder.commit();
    expect((await slow).body).toMatchObject({ status: 'void' });
    expect((await probe(shop, 'void_ticket', key)).body).toMatchObject({ disposition: 'executed' });
  });

  test('of what the ledger cannot answer for is unknown', async () => {
    const shop = await startShop();
    const key = newKey();
    await write(shop, 'void_ticket', voiding, { key });
    for (const tool of ['refund', 'get_ticket', 'no_such_tool']) {
      expect((await probe(shop, tool, key)).body).toEqual({ disposition: 'unknown' });
    }
  });

  test('and the write that it asks about, at once: never both "not executed" and done', async () => {
    const shop = await startShop();
    const met = await Promise.all(
      Array.from({ length: 60 }, async (_, number) => {
        const key = newKey();
        const args = { item_id: 'soda', price_usd: number };
        const calls = [write(shop, 'change_price', args, { key }), probe(shop, 'change_price', key)] as const;
        const [written, probed] = await Promise.all(calls);
        return { done: written.status === 200, told: probed.body.disposition };
      }),
    );
    expect(met.filter(({ done, told }) => done && told === 'not_executed')).toEqual([]);
    expect(met.filter(({ done, told }) => !done && told !== 'not_executed')).toEqual([]);
  });
});

test('the checks that the catalog declares say what the shop answers', async () => {
  const shop = await startShop();
  const file = new URL('../../examples/point-of-sale/tether.yaml', import.meta.url);
  const parsed = parseCatalog(readFileSync(file, 'utf8'), {
    env: { POS_SIGNING_SECRET: newSecret() },
    readFile: () => '',
  });
  if (parsed.kind === 'invalid') throw new Error('the catalog is invalid');
  const judge = async (tool: string, check: 'precondition' | 'verify', args: Record<string, unknown>) => {
    const declared = parsed.catalog.tools.get(tool)?.[check];
    if (!declared?.expect) throw new Error(`${tool} declares no ${check}`);
    const mapped = Object.entries(declared.arguments).map(([name, pointer]) => [name, args[pointer.slice(1)]]);
    const { body } = await read(shop, declared.read, Object.fromEntries(mapped));
    return declared.expect.judge({ args, result: body }).kind;
  };
  const refunding = { ticket_id: 'T-4402', amount_usd: 40, reason: 'cold pizza' };
  const pricing = { item_id: 'soda', price_usd: 5.5 };
  expect(await judge('void_ticket', 'precondition', voiding)).toBe('true');
  expect(await judge('void_ticket', 'precondition', { ...voiding, ticket_id: 'T-4402' })).toBe('false');
  expect(await judge('refund', 'precondition', refunding)).toBe('true');
  expect(await judge('refund', 'precondition', { ...refunding, amount_usd: 45 })).toBe('false');
  for (const [tool, args] of Object.entries({ void_ticket: voiding, refund: refunding, change_price: pricing })) {
    expect(await judge(tool, 'verify', args), tool).toBe('false');
    await write(shop, tool, args);
    expect(await judge(tool, 'verify', args), tool).toBe('true');
  }
  expect(await judge('refund', 'precondition', refunding)).toBe('false');
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
