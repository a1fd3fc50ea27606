/** A write that is recorded as Tether records it, action, intent, attempt and audit trail, by hand. */
import { createHash, randomUUID } from 'node:crypto';
import { one, pool } from './database.ts';
import { post } from './post.ts';
import { type Recast, type Recorded, recordLifecycle } from './record-lifecycle.ts';

const recorded = await recordLifecycle(pool);

function statement(name: string): Recorded {
  const found = recorded.find((each) => each.name === name);
  if (found === undefined) throw new Error(`the store runs no ${name} any more`);
  return found;
}
const insert = statement('action_insert');
const find = statement('action_by_id');
const claim = statement('action_claim');
const settle = statement('action_apply');

function run({ name, text, valuesFor }: Recorded, action: Recast): Promise<Record<string, unknown>> {
  return one(name, text, valuesFor(action));
}

/** Records a write that waits, and returns its id. */
export async function stage(args: string): Promise<string> {
  const id = randomUUID();
  await run(insert, { id, intentHash: createHash('sha256').update(args).digest(), arguments: args });
  return id;
}

/** The arguments of a write that waits: whoever did not keep them has to ask. */
export async function read(id: string): Promise<string> {
  return String((await run(find, { id })).arguments);
}

/** Claims it, sends it, settles it; returns the endpoint's answer. */
export async function confirm(id: string, args: string): Promise<string> {
  await run(claim, { id });
  const result = await post(id, args);
  await run(settle, { id, result });
  return result;
}
