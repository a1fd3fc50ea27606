/** Calls and questions that meet: two ledgers with connections of their own are what two processes of a vendor would be. */
import { refuse } from '@tether/endpoint';
import { pgExecutor, pgLedger } from '@tether/endpoint/pg';
import { type Begin, sqlLedger } from '@tether/endpoint/sql';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { chargeOnce, questionOf, refuseBy, writeOf } from './ledger-calls.ts';
import { type Charging, chargesTable, type LedgerKind, ledgerKinds, poolOf, withLedger } from './ledgers.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase({ empty: true });
  await database.query(chargesTable);
  const pool = poolOf(database.url);
  await pgLedger(pool).migrate();
  await pool.end();
});
afterAll(() => database.drop());

const charges = async (account: string) =>
  (await database.query('select 1 from charges where account = $1', [account])).length;

/** Resolves when so many sessions wait for a lock. */
async function waiting(count: number): Promise<void> {
  for (;;) {
    const [row] = await database.query<{ waiting: number }>(
      'select count(distinct pid)::int as waiting from pg_locks where not granted and pid <> pg_backend_pid()',
    );
    if (row?.waiting === count) return;
  }
}

/** Work that is held between its change and its end. */
function held(then: () => Promise<string> = async () => '"the first"') {
  const arrived = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const work = async () => {
    arrived.resolve();
    await gate.promise;
    return then();
  };
  return { work, arrived: arrived.promise, letGo: () => gate.resolve() };
}

const never = async () => expect.unreachable('the work of another call');

/** Two ledgers of a kind, each with connections of its own. */
function bothOver(kind: LedgerKind, use: <A, B>(here: Charging<A>, there: Charging<B>) => Promise<void>) {
  function open<T>(use: <Tx>(here: Charging<Tx>) => Promise<T>): Promise<T> {
    return withLedger(kind, database.url, async (charging) => {
      onTestFinished(() => charging.close());
      return use(charging);
    });
  }
  return open((here) => open((there) => use(here, there)));
}

describe.each(ledgerKinds)('over %s', (kind) => {
  const both = (use: <A, B>(here: Charging<A>, there: Charging<B>) => Promise<void>) => bothOver(kind, use);

  test('two calls at once: the second waits for the first, and gets its result', () =>
    both(async (here, there) => {
      const write = writeOf();
      const first = held();
      const one = chargeOnce(here, write, first.work);
      await first.arrived;
      const two = there.ledger.once(write, never, refuseBy);
      await waiting(1);
      first.letGo();
      expect(await one).toEqual({ kind: 'result', json: '"the first"', replayed: false });
      expect(await two).toEqual({ kind: 'result', json: '"the first"', replayed: true });
      expect(await charges(write.key)).toBe(1);
    }));

  test('two calls at once, and the first fails: the second makes the change', () =>
    both(async (here, there) => {
      const write = writeOf();
      const first = held(() => Promise.reject(new Error('boom')));
      const one = chargeOnce(here, write, first.work);
      await first.arrived;
      const two = chargeOnce(there, write);
      await waiting(1);
      first.letGo();
      await expect(one).rejects.toThrow('boom');
      expect(await two).toMatchObject({ kind: 'result', replayed: false });
      expect(await charges(write.key)).toBe(1);
    }));

  test('two calls of one attempt at once, and the first refuses: both get the same answer, and it is true', () =>
    both(async (here, there) => {
      const write = writeOf();
      const first = held(() => Promise.reject(refuse({ code: 'not_now', message: 'Not now.' })));
      const one = chargeOnce(here, write, first.work);
      await first.arrived;
      const two = chargeOnce(there, write);
      await waiting(1);
      first.letGo();
      const [a, b] = await Promise.all([one, two]);
      expect({ ...a, replayed: null }).toEqual({ ...b, replayed: null });
      expect(await charges(write.key)).toBe(a.kind === 'result' ? 1 : 0);
    }));

  test('a probe while the call is being worked on says so, at once, and afterwards what came of it', () =>
    both(async (here, there) => {
      const write = writeOf();
      const first = held();
      const one = chargeOnce(here, write, first.work);
      await first.arrived;
      expect(await there.ledger.probe(questionOf(write))).toEqual({ kind: 'in_progress' });
      expect(await here.ledger.probe(questionOf(write))).toEqual({ kind: 'in_progress' });
      first.letGo();
      await one;
      expect(await there.ledger.probe(questionOf(write))).toEqual({ kind: 'executed', result: '"the first"' });
    }));

  test('a call that waits for another until after its deadline does nothing', () =>
    both(async (here, there) => {
      const write = writeOf();
      const first = held(() => Promise.reject(new Error('boom')));
      const one = chargeOnce(here, write, first.work);
      await first.arrived;
      const [now] = await database.query<{ soon: Date }>("select clock_timestamp() + interval '300 ms' as soon");
      const deadline = now?.soon ?? new Date(0);
      const two = there.ledger.once({ ...write, attempt: 2, deadline }, never, refuseBy);
      await waiting(1);
      await database.query('select pg_sleep_until($1)', [deadline]);
      first.letGo();
      await expect(one).rejects.toThrow('boom');
      expect(await two).toMatchObject({ kind: 'late', code: 'past_deadline' });
      expect(await charges(write.key)).toBe(0);
    }));
});

// MikroORM's pool raises the loss of a connection that is in use as an error that nobody can catch: there the process ends.
describe.each(ledgerKinds.filter((kind) => kind !== 'mikro-orm'))('over %s', (kind) => {
  test('a connection that dies in the middle leaves nothing, and the key can be used', () =>
    bothOver(kind, async (here, there) => {
      const write = writeOf();
      const first = held();
      const one = chargeOnce(here, write, first.work);
      const failed = expect(one).rejects.toThrow();
      await first.arrived;
      await database.query(
        "select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
      );
      first.letGo();
      await failed;
      expect(await charges(write.key)).toBe(0);
      expect(await chargeOnce(there, write)).toMatchObject({ kind: 'result', replayed: false });
      expect(await charges(write.key)).toBe(1);
    }));
});

/** Transactions that stop at a gate before they do anything: a call that is held up on its way. */
function gated(pool: pg.Pool) {
  const arrived = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const transaction: Begin<pg.PoolClient> = async (work) => {
    arrived.resolve();
    await gate.promise;
    return inTransaction(pool, work);
  };
  return { ledger: pgLedger(transaction), arrived: arrived.promise, letGo: () => gate.resolve() };
}

async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const value = await work(client);
    await client.query('commit');
    return value;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

function aPool(max = 10): pg.Pool {
  const pool = poolOf(database.url);
  pool.options.max = max;
  onTestFinished(() => pool.end());
  return pool;
}

const charging = (ledger: Charging<pg.PoolClient>['ledger']): Charging<pg.PoolClient> => ({
  ledger,
  async charge(tx, account, amount) {
    await tx.query('insert into charges (account, amount) values ($1, $2)', [account, amount]);
  },
  close: async () => undefined,
});

test('a call that was on its way while somebody was told "not executed" does nothing when it arrives', async () => {
  const pool = aPool();
  const late = gated(pool);
  const write = writeOf();
  const outcome = chargeOnce(charging(late.ledger), write);
  await late.arrived;
  expect(await pgLedger(pool).probe(questionOf(write))).toEqual({ kind: 'not_executed' });
  late.letGo();
  expect(await outcome).toMatchObject({ kind: 'late', code: 'attempt_withdrawn' });
  expect(await charges(write.key)).toBe(0);
});

test('of calls and probes that all come at once, the probes tell what became true', async () => {
  const [here, there] = [charging(pgLedger(aPool())), charging(pgLedger(aPool()))];
  for (let round = 0; round < 20; round += 1) {
    const write = writeOf();
    const [one, asked, two, askedAgain] = await Promise.all([
      chargeOnce(here, write),
      there.ledger.probe(questionOf(write)),
      chargeOnce(there, write),
      here.ledger.probe(questionOf(write)),
    ]);
    const done = await charges(write.key);
    const told = [asked.kind, askedAgain.kind];
    if (done === 1) expect(told).not.toContain('not_executed');
    else expect([done, one.kind, two.kind]).toEqual([0, 'late', 'late']);
    if (told.includes('executed')) expect(done).toBe(1);
    expect(one.kind).toBe(two.kind);
  }
});

test('many who wait for one key in one process leave connections for the one they wait for', async () => {
  const pool = aPool(2);
  const ledger = pgLedger(pool);
  const write = writeOf();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      chargeOnce(charging(ledger), write, async () => {
        // Beside the transaction, on a connection of its own.
        await pool.query('select 1');
        return '{}';
      }),
    ),
  );
  expect(answers.filter((answer) => answer.kind === 'result' && !answer.replayed)).toHaveLength(1);
  expect(await charges(write.key)).toBe(1);
});

describe('where the lock of a key holds nobody up, the table decides alone', () => {
  /** As on a database whose advisory locks do nothing. */
  function unlocked(pool: pg.Pool) {
    return sqlLedger<pg.PoolClient>({
      transaction: (work) => inTransaction(pool, work),
      executor: (client) => ({
        query: (sql, params) =>
          pgExecutor(client).query(
            sql.replace(/pg_(try_)?advisory_xact_lock\(.*?0\)\)/, () => '($1::text is not null)'),
            params,
          ),
      }),
    });
  }

  test('two calls at once are both worked on, and one is committed', async () => {
    const [here, there] = [charging(unlocked(aPool())), charging(unlocked(aPool()))];
    const write = writeOf();
    const [first, second] = [held(), held()];
    const one = chargeOnce(here, write, first.work);
    const two = chargeOnce(there, write, second.work);
    await Promise.all([first.arrived, second.arrived]);
    first.letGo();
    second.letGo();
    expect([(await one).kind, (await two).kind]).toEqual(['result', 'result']);
    expect(await charges(write.key)).toBe(1);
  });

  test('a call that has begun before somebody was told "not executed" is rolled back', async () => {
    const [here, there] = [charging(unlocked(aPool())), charging(unlocked(aPool()))];
    const write = writeOf();
    const first = held();
    const one = chargeOnce(here, write, first.work);
    await first.arrived;
    expect(await there.ledger.probe(questionOf(write))).toEqual({ kind: 'not_executed' });
    first.letGo();
    expect(await one).toMatchObject({ kind: 'late', code: 'attempt_withdrawn' });
    expect(await charges(write.key)).toBe(0);
  });
});

describe('what is no transaction as the ledger needs it is told before anything is done', () => {
  test('statements that go to the pool', async () => {
    const pool = aPool();
    const ledger = sqlLedger<pg.Pool>({
      transaction: (work) => work(pool),
      executor: (each) => ({ query: async (sql, params) => (await each.query(sql, [...params])).rows }),
    });
    await expect(ledger.once(writeOf(), never, refuseBy)).rejects.toThrow(/several transactions/);
    await expect(ledger.probe(questionOf(writeOf()))).rejects.toThrow(/several transactions/);
  });

  test.each(['repeatable read', 'serializable'])('a transaction that is %s', async (isolation) => {
    const pool = aPool();
    const ledger = pgLedger((work) =>
      inTransaction(pool, async (client) => {
        await client.query(`set transaction isolation level ${isolation}`);
        return work(client);
      }),
    );
    await expect(ledger.once(writeOf(), never, refuseBy)).rejects.toThrow(/must be read committed/);
  });

  test('a pool whose sessions are serializable by default does no harm to the adapters', async () => {
    const url = new URL(database.url);
    url.searchParams.set('options', '-c default_transaction_isolation=serializable');
    for (const kind of ledgerKinds) {
      await withLedger(kind, url.href, async (there) => {
        onTestFinished(() => there.close());
        const write = writeOf();
        expect(await chargeOnce(there, write)).toMatchObject({ kind: 'result' });
        expect(await charges(write.key)).toBe(1);
      });
    }
  });
});

describe('what breaks the transaction in the middle is an error, and never an answer', () => {
  test('a handler that commits by itself', async () => {
    const ledger = pgLedger(aPool());
    const write = writeOf();
    const broken = ledger.once(
      write,
      async (tx) => {
        await tx.query('commit');
        return '{}';
      },
      refuseBy,
    );
    await expect(broken).rejects.toThrow(/several transactions/);
  });

  test('a transaction that swallows what it was thrown', async () => {
    const pool = aPool();
    const ledger = pgLedger((async (work: (client: pg.PoolClient) => Promise<unknown>) => {
      const client = await pool.connect();
      try {
        await client.query('begin');
        return await work(client).catch(() => undefined);
      } finally {
        await client.query('commit');
        client.release();
      }
    }) as Begin<pg.PoolClient>);
    const no = refuse({ code: 'no', message: 'No.' });
    await expect(ledger.once(writeOf(), () => Promise.reject(no), refuseBy)).rejects.toThrow(/its work was not done/);
  });

  test('a transaction that wraps what it was thrown still lets a refusal through', async () => {
    const pool = aPool();
    const ledger = pgLedger((work) =>
      inTransaction(pool, work).catch((cause: unknown) => {
        throw new Error('wrapped', { cause });
      }),
    );
    const no = refuse({ code: 'no', message: 'No.' });
    expect(await ledger.once(writeOf(), () => Promise.reject(no), refuseBy)).toMatchObject({ kind: 'refused' });
  });
});
