/** What every ledger in PostgreSQL keeps, whichever way to the database the vendor uses. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { refuse } from '@tether/endpoint';
import { ledgerSchema } from '@tether/endpoint/sql';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { chargeOnce, newKey, questionOf, refuseBy, writeOf } from './ledger-calls.ts';
import { type Charging, chargesTable, ledgerKinds, withLedger } from './ledgers.ts';

/** Whatever a driver, an ORM or a template could stumble over. */
const strange = '{"big":9007199254740993,"nul":"\\u0000","q":"? $1 \'\' \\\\ \\" ``","é":"€ 🍜 \\ud800","n":1.10}';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase({ empty: true });
  await database.query(chargesTable);
});
afterAll(() => database.drop());

const charges = async (account: string) =>
  (await database.query('select 1 from charges where account = $1', [account])).length;
const entry = async (key: string) => (await database.query('select * from tether_ledger where key = $1', [key]))[0];

describe.each(ledgerKinds)('over %s', (kind) => {
  /** A ledger of its own connections for one test, its table there. */
  async function open<T>(use: <Tx>(charging: Charging<Tx>) => Promise<T>): Promise<T> {
    return withLedger(kind, database.url, async (charging) => {
      onTestFinished(() => charging.close());
      await charging.ledger.migrate();
      return use(charging);
    });
  }

  test('a write and its record are committed together, and a repeat gets the first result, byte for byte', () =>
    open(async (charging) => {
      const write = writeOf();
      const first = await chargeOnce(charging, write, async () => strange);
      expect(first).toEqual({ kind: 'result', json: strange, replayed: false });
      expect(await charges(write.key)).toBe(1);
      expect(await entry(write.key)).toMatchObject({ state: 'applied', result: strange, attempt: 1, tool: 'charge' });

      const never = async () => expect.unreachable('the work of a repeat');
      const repeat = await charging.ledger.once({ ...write, attempt: 3 }, never, refuseBy);
      expect(repeat).toEqual({ kind: 'result', json: strange, replayed: true });
      expect(await charges(write.key)).toBe(1);
    }));

  test('an error after the change rolls back both, and the key is as if it had never come', () =>
    open(async (charging) => {
      const write = writeOf();
      const boom = new Error('boom');
      await expect(chargeOnce(charging, write, () => Promise.reject(boom))).rejects.toBe(boom);
      expect(await charges(write.key)).toBe(0);
      expect(await entry(write.key)).toBeUndefined();
      expect(await chargeOnce(charging, write)).toMatchObject({ kind: 'result', replayed: false });
      expect(await charges(write.key)).toBe(1);
    }));

  test('a record that cannot be written takes the change with it', () =>
    open(async (charging) => {
      const write = writeOf();
      // No text of PostgreSQL holds it: this fails in the very statement that records.
      await expect(chargeOnce(charging, write, async () => 'a raw \u0000')).rejects.toThrow();
      expect(await charges(write.key)).toBe(0);
      expect(await entry(write.key)).toBeUndefined();
    }));

  test('a change that fails in the database takes the record with it', () =>
    open(async (charging) => {
      const write = writeOf();
      const failing = charging.ledger.once(
        write,
        async (tx) => {
          await charging.charge(tx, write.key, 7);
          await charging.charge(tx, 'over any integer', 2 ** 40);
          return '{}';
        },
        refuseBy,
      );
      await expect(failing).rejects.toThrow();
      expect(await charges(write.key)).toBe(0);
      expect(await entry(write.key)).toBeUndefined();
    }));

  test('a refusal rolls back the change, is recorded, and is what a repeat of the same attempt gets', () =>
    open(async (charging) => {
      const write = writeOf();
      const no = refuse({ code: 'account_closed', message: `Closed: ${strange}` });
      const refused = { code: 'account_closed', message: `Closed: ${strange}`, effect: 'none', retryable: false };
      const first = await chargeOnce(charging, write, () => Promise.reject(no));
      expect(first).toEqual({ kind: 'refused', refusal: refused, replayed: false });
      expect(await charges(write.key)).toBe(0);
      expect(await entry(write.key)).toMatchObject({ state: 'refused', result: null, left_behind: false });
      expect(await chargeOnce(charging, write)).toEqual({ kind: 'refused', refusal: refused, replayed: true });
      expect(await charges(write.key)).toBe(0);
    }));

  test('a later attempt is evaluated anew after a refusal, and an earlier one is not', () =>
    open(async (charging) => {
      const write = writeOf({ attempt: 2 });
      await chargeOnce(charging, write, () => Promise.reject(refuse({ code: 'not_now', message: 'Not now.' })));
      expect(await chargeOnce(charging, { ...write, attempt: 1 })).toMatchObject({
        ...{ kind: 'late', code: 'attempt_withdrawn' },
      });
      expect(await charges(write.key)).toBe(0);
      expect(await chargeOnce(charging, { ...write, attempt: 3 })).toMatchObject({ kind: 'result' });
      expect(await charges(write.key)).toBe(1);
      expect(await entry(write.key)).toMatchObject({ state: 'applied', attempt: 3, refusal: null });
    }));

  test('a key that comes with other arguments, another tool or another tenant is refused, and gives nothing away', () =>
    open(async (charging) => {
      const write = writeOf();
      await chargeOnce(charging, write, async () => '"secret"');
      for (const other of [{ argumentsDigest: 'sha256:01' }, { tool: 'refund' }, { tenant: 'umbrella' }]) {
        const outcome = await chargeOnce(charging, { ...write, ...other, attempt: 2 });
        expect(outcome).toMatchObject({ kind: 'refused', refusal: { code: 'idempotency_key_reused', effect: 'none' } });
        expect(JSON.stringify(outcome)).not.toContain('secret');
      }
      for (const other of [{ tool: 'refund' }, { tenant: 'umbrella' }]) {
        expect(await charging.ledger.probe(questionOf({ ...write, ...other }))).toEqual({ kind: 'unknown' });
      }
      expect(await charges(write.key)).toBe(1);
    }));

  test('a call past its deadline is turned away before anything is done, a repeat of what was done is not', () =>
    open(async (charging) => {
      const past = writeOf({ deadline: new Date(Date.now() - 1_000) });
      expect(await chargeOnce(charging, past)).toMatchObject({ kind: 'late', code: 'past_deadline' });
      expect(await charges(past.key)).toBe(0);
      expect(await entry(past.key)).toBeUndefined();
      await chargeOnce(charging, { ...past, deadline: new Date(Date.now() + 60_000) });
      expect(await chargeOnce(charging, past)).toMatchObject({ kind: 'result', replayed: true });
    }));

  test('a write that is done only after its deadline is rolled back', () =>
    open(async (charging) => {
      // Not by a clock of this process: the database's own decides, and it is asked in the statement that records.
      const [now] = await database.query<{ soon: Date }>("select clock_timestamp() + interval '400 ms' as soon");
      const write = writeOf({ deadline: now?.soon ?? new Date(0) });
      const outcome = await chargeOnce(charging, write, async () => {
        await database.query('select pg_sleep_until($1)', [write.deadline]);
        return '{}';
      });
      expect(outcome).toMatchObject({ kind: 'late', code: 'past_deadline' });
      expect(await charges(write.key)).toBe(0);
      expect(await entry(write.key)).toBeUndefined();
    }));

  test('a probe finds what was done, with its result', () =>
    open(async (charging) => {
      const write = writeOf();
      await chargeOnce(charging, write, async () => strange);
      expect(await charging.ledger.probe(questionOf(write))).toEqual({ kind: 'executed', result: strange });
      expect(await charging.ledger.probe({ ...questionOf(write), attempt: 3 })).toMatchObject({ kind: 'executed' });
    }));

  test('after "not executed" no attempt up to that one is applied, and a later one is', () =>
    open(async (charging) => {
      const write = writeOf();
      expect(await charging.ledger.probe({ ...questionOf(write), attempt: 2 })).toEqual({ kind: 'not_executed' });
      for (const attempt of [1, 2]) {
        expect(await chargeOnce(charging, { ...write, attempt })).toMatchObject({
          ...{ kind: 'late', code: 'attempt_withdrawn' },
        });
      }
      // A question about an earlier one takes nothing back.
      expect(await charging.ledger.probe(questionOf(write))).toEqual({ kind: 'not_executed' });
      expect(await entry(write.key)).toMatchObject({ state: 'withdrawn', attempt: 2, arguments_digest: null });
      expect(await charges(write.key)).toBe(0);
      expect(await chargeOnce(charging, { ...write, attempt: 3 })).toMatchObject({ kind: 'result', replayed: false });
      expect(await charges(write.key)).toBe(1);
    }));

  test('a probe tells why an attempt was refused, unless something was left behind', () =>
    open(async (charging) => {
      const write = writeOf();
      const because = refuse({ code: 'account_closed', message: 'Closed.' });
      await chargeOnce(charging, write, () => Promise.reject(because));
      expect(await charging.ledger.probe(questionOf(write))).toMatchObject({
        ...{ kind: 'not_executed', refusal: { code: 'account_closed' } },
      });
      expect(await charging.ledger.probe({ ...questionOf(write), attempt: 2 })).toEqual({ kind: 'not_executed' });
      expect(await chargeOnce(charging, { ...write, attempt: 2 })).toMatchObject({ kind: 'late' });

      const mail = refuse({ code: 'half_done', message: 'The mail is out.', effect: 'applied' });
      const third = { ...write, attempt: 3 };
      await chargeOnce(charging, third, () => Promise.reject(mail));
      expect(await charging.ledger.probe(questionOf(third))).toEqual({ kind: 'unknown' });
      await chargeOnce(charging, { ...write, attempt: 4 }, () => Promise.reject(because));
      expect(await charging.ledger.probe({ ...questionOf(write), attempt: 5 })).toEqual({ kind: 'unknown' });
    }));

  test('the table can be made again and again, by many at once', () =>
    open(async ({ ledger }) => {
      await Promise.all(Array.from({ length: 8 }, () => ledger.migrate()));
    }));
});

test('a key whose entry would have been deleted by now is not called "not executed"', async () => {
  await withLedger('pg', database.url, async (charging) => {
    onTestFinished(() => charging.close());
    await charging.ledger.migrate();
    const daysAgo = (days: number) => {
      const time = (Date.now() - days * 86_400_000).toString(16).padStart(12, '0');
      return `${time}7${newKey().slice(0, 3)}8${newKey().slice(0, 15)}`;
    };
    const probe = (key: string) => charging.ledger.probe(questionOf(writeOf({ key })));
    expect(await probe(daysAgo(0))).toEqual({ kind: 'not_executed' });
    expect(await probe(daysAgo(88))).toEqual({ kind: 'not_executed' });
    const forgotten = daysAgo(90);
    expect(await probe(forgotten)).toEqual({ kind: 'unknown' });
    expect(await entry(forgotten)).toBeUndefined();
  });
});

test('what is older than it is kept goes, and nothing else', async () => {
  await withLedger(
    'pg',
    database.url,
    async (charging) => {
      onTestFinished(() => charging.close());
      await charging.ledger.migrate();
      const [old, young] = [writeOf(), writeOf()];
      await chargeOnce(charging, old);
      await chargeOnce(charging, young);
      await database.query("update tether_ledger set updated_at = now() - interval '41 days' where key = $1", [
        old.key,
      ]);
      expect(await charging.ledger.prune()).toBe(1);
      expect(await entry(old.key)).toBeUndefined();
      expect(await entry(young.key)).toBeDefined();
      expect(await charging.ledger.prune()).toBe(0);
    },
    { keepDays: 40 },
  );
});

test('the table is the same for who reads the file and who cannot', () => {
  const file = fileURLToPath(import.meta.resolve('@tether/endpoint/ledger.sql'));
  expect(readFileSync(file, 'utf8')).toBe(ledgerSchema);
});
