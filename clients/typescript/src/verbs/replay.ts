import type { CallOptions } from '../call/call-options.ts';
import type { Connection } from '../call/connection.ts';
import { make } from '../call/make.ts';
import type { JsonValue } from '../json/json-number.ts';
import { type Action, actionOf } from '../wire/action.ts';
import { jsonIf } from '../wire/error.ts';
import { type Lookup, lookupKey } from './get.ts';

export interface Replayed {
  readonly action: Action;
  /** The stored result, and its text byte for byte; not there when the action has none. */
  readonly result?: JsonValue;
  readonly resultJson?: string;
  /** The exact text for the model's transcript. */
  readonly modelJson: string;
  /** True when there is a stored result. */
  readonly idempotentReplay: boolean;
}

export async function replay(connection: Connection, input: Lookup, options?: CallOptions): Promise<Replayed> {
  const key = lookupKey(input);
  const answer = await make(
    connection,
    { repeat: 'read', send: (rpc) => connection.actions.replay({ key }, rpc) },
    options,
  );
  const { resultJson, modelJson, idempotentReplay } = answer;
  return {
    ...{ action: actionOf(answer), modelJson, idempotentReplay },
    ...{ result: jsonIf(resultJson), resultJson: resultJson || undefined },
  };
}
