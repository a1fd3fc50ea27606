import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAuthenticator } from '../../server/store/credentials/authenticate.ts';
import { hashOfKey, newKey } from '../../server/store/credentials/key.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { createRecorded, type Recorded } from './recorder.ts';

let database: TestDatabase;
let recorded: Recorded;
/** The monotonic clock, milliseconds. */
let clock = 0;
const key = newKey('acme');

beforeEach(async () => {
  database = await createDatabase();
  recorded = createRecorded(database.url);
  clock = 5_000;
  await database.query(
    `insert into credential (id, tenant_id, role, user_id, key_hash, prefix)
      values (gen_random_uuid(), 'acme', 'agent', 'bot', $1, 'tth_acme_')`,
    [hashOfKey(key)],
  );
});
afterEach(async () => {
  await recorded.pool.end();
  await database.drop();
});

const authenticator = () => createAuthenticator(recorded.database, () => clock);

test('a thousand calls in a second ask the database once, also when they all come at the same time', async () => {
  const { authenticate } = authenticator();
  await Promise.all(Array.from({ length: 500 }, () => authenticate(key)));
  clock += 999;
  for (let call = 0; call < 500; call++) expect(await authenticate(key)).toMatchObject({ userId: 'bot' });
  expect(recorded.ran).toHaveLength(1);
  clock += 1;
  expect(await authenticate(key)).toBeDefined();
  expect(recorded.ran).toHaveLength(2);
});

test('a key that ends within that second is asked for again when it has ended', async () => {
  const { authenticate } = authenticator();
  await database.query(`update credential set expires_at = clock_timestamp() + interval '600 milliseconds'`);
  expect(await authenticate(key)).toBeDefined();
  clock += 600;
  await database.query('update credential set expires_at = clock_timestamp()');
  expect(await authenticate(key)).toBeUndefined();
});

test('an answer that was under way when the key was revoked counts for nobody who comes later', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asked = (): void => undefined;
  const wasAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  let first = true;
  const slow = createAuthenticator(
    {
      async run<Row extends object>(...question: Parameters<typeof recorded.database.run>) {
        const holds = first;
        first = false;
        const rows = await recorded.database.run<Row>(...question);
        if (holds) {
          asked();
          await held;
        }
        return rows;
      },
    },
    () => clock,
  );
  const early = slow.authenticate(key);
  await wasAsked;
  await database.query('update credential set revoked_at = now()');
  // As long as a revocation waits before it answers.
  clock += 1_000;
  expect(await slow.authenticate(key)).toBeUndefined();
  release();
  expect(await early).toBeDefined();
  expect(await slow.authenticate(key)).toBeUndefined();
});

test('a key is not taken from memory when the database is away', async () => {
  const { authenticate } = authenticator();
  expect(await authenticate(key)).toBeDefined();
  recorded.before.set('credential_by_key', () => Promise.reject(new Error('away')));
  clock += 1_000;
  await expect(authenticate(key)).rejects.toThrow('away');
  recorded.before.clear();
  expect(await authenticate(key)).toBeDefined();
});

test('a key that was good is recognised, long after and without asking; one that never was or is no more is not', async () => {
  const { authenticate, recognises } = authenticator();
  expect(recognises(key)).toBe(false);
  await authenticate(key);
  clock += 3_600_000;
  expect(recognises(key)).toBe(true);
  const stranger = newKey('acme');
  await authenticate(stranger);
  expect([recognises(stranger), recognises('hello')]).toEqual([false, false]);
  expect(recorded.ran).toHaveLength(2);
  await database.query('update credential set revoked_at = now()');
  await authenticate(key);
  expect(recognises(key)).toBe(false);
});
