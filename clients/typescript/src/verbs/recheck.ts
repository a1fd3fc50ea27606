import type { CallOptions } from '../call/call-options.ts';
import type { Connection } from '../call/connection.ts';
import { make } from '../call/make.ts';
import type { JsonValue } from '../json/json-number.ts';
import { type Action, actionOf } from '../wire/action.ts';
import { jsonIf } from '../wire/error.ts';

/** One place where two answers differ; a side that is not there had no value. */
export interface Difference {
  /** JSON Pointer into the read's answer. */
  readonly pointer: string;
  readonly before?: JsonValue;
  readonly now?: JsonValue;
}

export interface Rechecked {
  /** True when a confirm would go on. */
  readonly holds: boolean;
  /** What the precondition's read answered when it was staged, and its text. */
  readonly before: JsonValue | undefined;
  readonly beforeJson: string;
  /** What it answers now, in the same form. */
  readonly now: JsonValue | undefined;
  readonly nowJson: string;
  readonly differences: readonly Difference[];
  readonly action: Action;
}

export async function recheck(
  connection: Connection,
  input: { readonly actionId: string },
  options?: CallOptions,
): Promise<Rechecked> {
  const { actionId } = input;
  const answer = await make(
    connection,
    // It changes nothing, so it is a read, though one that the endpoint is asked for.
    { repeat: 'read', tryTimeoutMs: 90_000, send: (rpc) => connection.actions.recheck({ actionId }, rpc) },
    options,
  );
  const { holds, beforeJson, nowJson } = answer;
  return {
    ...{ holds, beforeJson, nowJson, before: jsonIf(beforeJson), now: jsonIf(nowJson), action: actionOf(answer) },
    differences: answer.differences.map((each) => ({
      pointer: each.pointer,
      before: jsonIf(each.beforeJson),
      now: jsonIf(each.nowJson),
    })),
  };
}
