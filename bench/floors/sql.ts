/** The first floor: the statements of a lifecycle as named prepared statements through `pg`, and nothing else. */
import { randomBytes, randomUUID } from 'node:crypto';
import { contend } from '../contender.ts';
import { one, pool } from './database.ts';
import { recordLifecycle } from './record-lifecycle.ts';

const recorded = await recordLifecycle(pool);

contend(async () => {
  const action = { id: randomUUID(), intentHash: randomBytes(32) };
  for (const { name, text, valuesFor } of recorded) await one(name, text, valuesFor(action));
});
