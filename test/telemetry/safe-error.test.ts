import { connect } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CallError } from '../../server/domain/error.ts';
import { StoreUnavailable } from '../../server/lifecycle/ports/store-unavailable.ts';
import { safeError } from '../../server/telemetry/safe-error.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const canary = 'c4n4ry';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.query('create table kept (secret text primary key, small varchar(3))');
  await database.query('insert into kept values ($1)', [canary]);
});
afterAll(() => database.drop());

async function thrownBy(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return expect.fail('nothing was thrown');
}

function textOf(thrown: unknown): string {
  return JSON.stringify(safeError(thrown));
}

/** What real libraries throw over a value that they were given. */
const overValues: readonly [what: string, work: () => unknown, kind: object][] = [
  ['JSON.parse', () => JSON.parse(`{"card": ${canary}}`), { type: 'SyntaxError' }],
  [
    'a unique index',
    () => database.query('insert into kept values ($1)', [canary]),
    { type: 'DatabaseError', code: '23505', constraint: 'kept_pkey' },
  ],
  ['a cast', () => database.query('select $1::uuid', [canary]), { code: '22P02' }],
  ['a column', () => database.query("insert into kept values ('x', $1)", [`${canary}${canary}`]), { code: '22001' }],
  ['a raised exception', () => database.query(`do $$ begin raise exception '${canary}'; end $$`), { code: 'P0001' }],
  [
    'an argument of Node',
    () => Buffer.from(5 as unknown as string, canary as BufferEncoding),
    { code: 'ERR_INVALID_ARG_TYPE' },
  ],
  ['a URL', () => new URL(canary), { code: 'ERR_INVALID_URL' }],
  ['a property', () => (undefined as unknown as Record<string, string>)[canary], { type: 'TypeError' }],
  ['a clone', () => structuredClone({ [canary]: () => canary }), { type: 'DOMException' }],
  [
    'a refusal of ours',
    () => {
      throw new CallError('INVALID_ARGUMENTS', { message: `card is ${canary}.`, receivedJson: `"${canary}"` });
    },
    { type: 'CallError', code: 'INVALID_ARGUMENTS' },
  ],
];

test.each(overValues)('an error over a value is told by its kind, without the value: %s', async (_, work, kind) => {
  const thrown = await thrownBy(work);
  expect(safeError(thrown)).toMatchObject(kind);
  expect(textOf(thrown)).not.toContain(canary);
  expect(textOf(new StoreUnavailable(true, { cause: thrown }))).not.toContain(canary);
  expect(textOf(new AggregateError([new Error('first', { cause: thrown })]))).not.toContain(canary);
});

test.each([
  ['another class', () => Object.assign(new (class Vendor extends Error {})(canary), { name: canary })],
  ['a name that somebody set', () => Object.assign(new Error(canary), { name: canary })],
  [
    'fields',
    () => Object.assign(new Error('x'), { data: canary, detail: canary, where: canary, hint: canary, body: canary }),
  ],
  [
    'a fact that is none',
    () => Object.assign(new Error('x'), { code: `${canary} ${canary}`, table: { canary }, address: `${canary}\n` }),
  ],
  ['quotes that nothing closes', () => new Error(`it was "${canary}`)],
  ['lines like a stack', () => new Error(`x "\n    at ${canary} (/a/b.js:1:1)`)],
  [
    'a stack that was changed',
    () =>
      Object.assign(new Error('x'), {
        message: 'y',
        stack: `Error: ${canary}\n    at ${canary}\n    at f (/a/b.ts:1:2)`,
      }),
  ],
  ['no error', () => canary],
  ['an object', () => ({ canary })],
  ['a message that is no text', () => Object.assign(new Error('x'), { message: { canary } })],
])('nothing is told that an error carries beside: %s', (_, make) => {
  expect(textOf(make())).not.toContain(canary);
});

test('what the machine says is told: sockets, and the database about itself', async () => {
  const refused = await thrownBy(() => new Promise((_, reject) => connect(1, '127.0.0.1').on('error', reject)));
  expect(safeError(refused)).toMatchObject({
    code: 'ECONNREFUSED',
    address: '127.0.0.1',
    port: 1,
    message: 'connect ECONNREFUSED 127.0.0.1:1',
  });
  const wrong = Object.assign(new URL(database.url), { password: 'wrong' });
  const client = new pg.Client(wrong.href);
  expect(safeError(await thrownBy(() => client.connect()))).toMatchObject({
    code: '28P01',
    message: 'password authentication failed for user …',
  });
  expect(safeError(await thrownBy(() => database.query('select from nothing')))).toMatchObject({
    code: '42P01',
    message: 'relation … does not exist',
  });
});

test('what we say is told, with where it was said and what is below', () => {
  const below = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
  const told = safeError(
    new Error("the action of an attempt is gone; it's lost", { cause: new AggregateError([below], 'all failed') }),
  );
  expect(told).toMatchObject({
    type: 'Error',
    message: "the action of an attempt is gone; it's lost",
    at: expect.arrayContaining([expect.stringMatching(/safe-error\.test\.ts/)]),
    cause: {
      type: 'AggregateError',
      message: 'all failed',
      errors: [{ code: 'UND_ERR_SOCKET', message: 'other side closed' }],
    },
  });
});

test('what is told is bounded, circles and all', () => {
  const circle = new Error('x'.repeat(100_000));
  circle.cause = circle;
  expect(textOf(circle).length).toBeLessThan(20_000);
});
