import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { StoreUnavailable } from '../../server/lifecycle/ports/store-unavailable.ts';
import { openStore, type Store } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { createWay, type Way } from '../support/way.ts';
import { approver, claimed, claimOf, proposal, staged, succeeded } from './proposal.ts';
import { expectCompleteTrails } from './trail.ts';

let database: TestDatabase;
let way: Way;
let opened: Store;

beforeAll(async () => {
  database = await createDatabase();
  way = await createWay(database.url);
  opened = await openStore({ url: way.url, poolSize: 4 });
});
afterEach(() => expectCompleteTrails(database));
afterAll(async () => {
  await opened.close();
  await way.close();
  await database.drop();
});

async function unavailable(work: Promise<unknown>): Promise<StoreUnavailable> {
  const error = await work.then(
    () => new Error('it went through'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof StoreUnavailable) return error;
  throw error;
}

/** Holds a lock in a transaction of its own while `work` runs into it, then ends the backend that waits. */
async function killedBehind(lock: string, values: unknown[], work: () => Promise<unknown>): Promise<StoreUnavailable> {
  const blocker = new pg.Client(database.url);
  await blocker.connect();
  try {
    await blocker.query('begin');
    await blocker.query(lock, values);
    const refused = unavailable(work());
    for (;;) {
      // Else the transaction would see the sessions that there were when it first looked.
      await blocker.query('select pg_stat_clear_snapshot()');
      const { rowCount } = await blocker.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'tether' and wait_event_type = 'Lock'`,
      );
      if (rowCount) break;
    }
    return await refused;
  } finally {
    await blocker.query('rollback');
    await blocker.end();
  }
}

test('a backend that is killed in the middle of a stage leaves nothing behind', async () => {
  const asked = proposal({ requestId: 'killed' });
  const { credentialId } = asked.proposedBy;
  const lock = `insert into stage_request (request_id, credential_id, tenant_id, action_id) values ('killed', $1, 'acme', $2)`;
  const error = await killedBehind(lock, [credentialId, asked.id], () => opened.actions.insert(asked));
  expect(error.mayHaveCommitted).toBe(true);
  expect(await opened.actions.find('acme', asked.id)).toBeUndefined();
  expect((await opened.actions.insert(asked)).kind).toBe('inserted');
});

test('a backend that is killed in the middle of a claim leaves the action as it was', async () => {
  const action = await staged(opened.actions);
  const lock = `insert into confirm_key (idempotency_key, user_id, tenant_id, action_id) values ('killed', $1, 'acme', $2)`;
  const claim = claimOf(action, { idempotencyKey: 'killed' });
  const error = await killedBehind(lock, [approver.userId, action.id], () => opened.actions.claim(claim));
  expect(error.mayHaveCommitted).toBe(true);
  expect((await opened.actions.find('acme', action.id))?.action).toEqual(action);
  expect((await opened.actions.claim(claim)).kind).toBe('claimed');
});

test('a backend that is killed in the middle of a settlement leaves the action as it was', async () => {
  const action = await claimed(opened.actions, await staged(opened.actions));
  const lock = 'select from attempt where action_id = $1 for update';
  const error = await killedBehind(lock, [action.id], () => opened.actions.apply(succeeded(action)));
  expect(error.mayHaveCommitted).toBe(true);
  expect((await opened.actions.find('acme', action.id))?.action).toEqual(action);
  expect(await opened.actions.apply(succeeded(action))).toBeDefined();
});

test('a claim whose answer is lost says that it may have been committed, and it was', async () => {
  const action = await staged(opened.actions);
  way.deaf();
  const lost = unavailable(opened.actions.claim(claimOf(action)));
  for (;;) {
    const rows = await database.query(`select from action where id = $1 and state = 'EXECUTING'`, [action.id]);
    if (rows.length > 0) break;
  }
  way.cut();
  expect((await lost).mayHaveCommitted).toBe(true);
  // Not by the same way: other connections of the pool were cut as well, and may not know it yet.
  const rows = await database.query('select state, version from action where id = $1', [action.id]);
  expect(rows).toEqual([{ state: 'EXECUTING', version: 2 }]);
});

test('while the database is away nothing is written and nothing crashes, and it is found again', async () => {
  const action = await staged(opened.actions);
  await way.close();
  for (const work of [
    () => opened.ping(),
    () => opened.actions.claim(claimOf(action)),
    () => opened.actions.find('acme', action.id),
    () => opened.actions.overdue(1),
    () => opened.credentials.authenticate(`tth_demo_${'0'.repeat(48)}`),
  ]) {
    const error = await unavailable(work());
    expect(error.mayHaveCommitted).toBe(false);
    expect(error.message).toBe('the database cannot be reached');
  }
  await unavailable(opened.credentials.createFirstTenant());
  await way.open();
  await opened.ping();
  expect((await opened.actions.claim(claimOf(action))).kind).toBe('claimed');
  expect(await opened.credentials.createFirstTenant()).toBeDefined();
});

test('an idle connection that breaks is told to the log', async () => {
  // A store that has written nothing, whose connections are idle indeed: nobody is told of events over them.
  const url = new URL(database.url);
  url.searchParams.set('application_name', 'idle');
  const told: string[] = [];
  const logger = { warn: (_: object, message: string) => void told.push(message) };
  const idle = await openStore({ url: url.href, poolSize: 2, logger });
  onTestFinished(() => idle.close());
  await Promise.all([idle.ping(), idle.ping()]);
  const killed = await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'idle'`);
  expect(killed).toHaveLength(2);
  await expect.poll(() => told, { timeout: 10_000 }).toEqual(killed.map(() => 'an idle database connection was lost'));
  await idle.ping();
});

test('a store can be opened before its database is there, and says so when it is asked', async () => {
  const early = await openStore({ url: 'postgres://nobody@127.0.0.1:1/nothing', poolSize: 1 });
  const error = await unavailable(early.ping());
  expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' });
  await early.close();
});
