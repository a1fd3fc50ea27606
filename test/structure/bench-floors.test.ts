import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordLifecycle } from '../../bench/floors/record-lifecycle.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

test('what the floors of the benchmark run is what the store runs, about another action', async () => {
  const recorded = await recordLifecycle(pool);
  expect(recorded.map(({ name }) => name)).toEqual(['action_insert', 'action_by_id', 'action_claim', 'action_apply']);
  const id = randomUUID();
  const another = { id, intentHash: randomBytes(32), arguments: '{"another":1}', result: '{"done":1}' };
  for (const { name, text, valuesFor } of recorded) {
    expect((await pool.query({ name, text, values: valuesFor(another) })).rowCount, name).toBe(1);
  }
  const lives = await database.query(
    `select a.id = $1 as another, a.state, a.arguments = '{"another":1}' as with_its_arguments,
       t.result = '{"done":1}' as with_its_result, (select count(*)::int from event e where e.action_id = a.id) as events
     from action a join attempt t on t.action_id = a.id join intent i on i.action_id = a.id order by a.created_at`,
    [id],
  );
  expect(lives).toEqual([
    { another: false, state: 'SUCCEEDED', with_its_arguments: false, with_its_result: false, events: 3 },
    { another: true, state: 'SUCCEEDED', with_its_arguments: true, with_its_result: true, events: 3 },
  ]);
});
