import type { CallOptions } from '../call/call-options.ts';
import type { Connection } from '../call/connection.ts';
import { canceled } from '../call/failure.ts';
import type { Action } from '../wire/action.ts';
import { type Got, get } from './get.ts';
import { watch } from './watch.ts';

/** By default it waits for as long as it takes: a person may sleep over it. */
export type WaitOptions = CallOptions;

/**
 * Waits until somebody decided about a staged action and it has an outcome, by watching it; an action that is PENDING or
 * EXECUTING has none. INDETERMINATE is one: it is told as unknown, and may become known later.
 */
export async function waitForOutcome(
  connection: Connection,
  { id, planId }: Pick<Action, 'id' | 'planId'>,
  { signal, timeoutMs }: WaitOptions = {},
): Promise<Got> {
  const lateness = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
  const ending = AbortSignal.any([...lateness, ...(signal === undefined ? [] : [signal])]);
  for await (const update of watch(connection, { planId }, { signal: ending })) {
    const action = update.kind === 'current' ? undefined : update.action;
    if (action?.id === id && hasOutcome(action)) return get(connection, { actionId: id }, { signal });
  }
  const findOut = [{ action: 'get', arguments: { action_id: id }, description: 'Read what it is now.' }];
  throw canceled(ending, false, { reads: true, findOut });
}

function hasOutcome({ state }: Action): boolean {
  return state !== 'PENDING' && state !== 'EXECUTING' && state !== 'UNSPECIFIED';
}
