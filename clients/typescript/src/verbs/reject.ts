import type { CallOptions } from '../call/call-options.ts';
import type { Connection } from '../call/connection.ts';
import { make } from '../call/make.ts';
import { type Action, actionOf } from '../wire/action.ts';

export interface RejectInput {
  readonly actionId: string;
  /** Why, for the model and the record: 1 to 2000 characters. */
  readonly reason: string;
}

/** What a person's decision made of an action. */
export interface Decided {
  readonly action: Action;
  /** The exact text for the model's transcript. */
  readonly modelJson: string;
  /** True when the same had been decided before. */
  readonly idempotentReplay: boolean;
}

export async function reject(connection: Connection, input: RejectInput, options?: CallOptions): Promise<Decided> {
  const { actionId, reason } = input;
  const answer = await make(
    connection,
    {
      repeat: 'never',
      findOut: [{ action: 'get', arguments: { action_id: actionId }, description: 'Read whether it was rejected.' }],
      send: (rpc) => connection.actions.reject({ actionId, reason }, rpc),
    },
    options,
  );
  const { modelJson, idempotentReplay } = answer;
  return { action: actionOf(answer), modelJson, idempotentReplay };
}
