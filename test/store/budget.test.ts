import { expect, test } from 'vitest';
import { applied, claimed, newId, proposal, staged, succeeded } from './proposal.ts';
import { recordedOfThisFile } from './recorder.ts';

const { database, recorded } = await recordedOfThisFile();

test('a life from stage to settlement is four prepared statements and three transactions', async () => {
  const { store, ran } = recorded;
  const { id } = await staged(store, { requestId: 'budget' });
  const read = await store.find('acme', id);
  if (read === undefined) throw new Error('not found');
  await applied(store, succeeded(await claimed(store, read.action, { idempotencyKey: 'budget' })));
  expect(ran.map(({ statement }) => statement.name)).toEqual([
    'action_insert',
    'action_by_id',
    'action_claim',
    'action_apply',
  ]);
  const transactions = await database.query(
    `select distinct xmin::text from (
      select xmin from action where id = $1 union all select xmin from attempt where action_id = $1
      union all select xmin from event where action_id = $1 union all select xmin from intent where action_id = $1
      union all select xmin from confirm_key where action_id = $1
      union all select xmin from stage_request where action_id = $1) rows`,
    [id],
  );
  expect(transactions).toHaveLength(3);
});

test('the row and its newest event are written by one transaction', async () => {
  const { store } = recorded;
  const same = async (id: string) =>
    await database.query(
      `select a.version from action a join event e on e.action_id = a.id and e.version = a.version
        where a.id = $1 and a.xmin = e.xmin and e.transaction_id::text = e.xmin::text`,
      [id],
    );
  const action = await staged(store);
  expect(await same(action.id)).toEqual([{ version: 1 }]);
  const executing = await claimed(store, action);
  expect(await same(action.id)).toEqual([{ version: 2 }]);
  await applied(store, succeeded(executing));
  expect(await same(action.id)).toEqual([{ version: 3 }]);
});

test('a proposal that is already pending costs two statements', async () => {
  const { store, ran } = recorded;
  const asked = proposal();
  await staged(store, asked);
  ran.length = 0;
  expect((await store.insert({ ...asked, id: newId() })).kind).toBe('held');
  expect(ran.map(({ statement }) => statement.name)).toEqual(['action_insert', 'action_by_intent']);
});
