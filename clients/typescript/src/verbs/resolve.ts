import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { CallOptions } from '../call/call-options.ts';
import type { Connection } from '../call/connection.ts';
import { make } from '../call/make.ts';
import { jsonText } from '../json/json-text.ts';
import { actionOf } from '../wire/action.ts';
import type { Decided } from './reject.ts';

export interface ResolveInput {
  readonly actionId: string;
  /** True: the write took effect. False: it did not, and never will. */
  readonly landed: boolean;
  /** What the person saw, for the record: 1 to 2000 characters. */
  readonly note: string;
  /** How many attempts had been used when the person looked; more by now and the decision is refused. */
  readonly expectedAttempts: number;
  /** When the person looked at the business system. */
  readonly observedAt: Date;
  /** The result, if it landed and the person knows it: a value, or its text. */
  readonly result?: unknown;
  readonly resultJson?: string;
}

export async function resolve(connection: Connection, input: ResolveInput, options?: CallOptions): Promise<Decided> {
  const { actionId, landed, note, expectedAttempts, result } = input;
  const resultJson = input.resultJson ?? (result === undefined ? undefined : jsonText(result));
  const observedAt = timestampFromDate(input.observedAt);
  const request = { actionId, landed, note, expectedAttempts, resultJson, observedAt };
  const answer = await make(
    connection,
    {
      repeat: 'never',
      findOut: [{ action: 'get', arguments: { action_id: actionId }, description: 'Read whether it was settled.' }],
      send: (rpc) => connection.actions.resolve(request, rpc),
    },
    options,
  );
  const { modelJson, idempotentReplay } = answer;
  return { action: actionOf(answer), modelJson, idempotentReplay };
}
