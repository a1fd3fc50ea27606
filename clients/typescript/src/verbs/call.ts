import type { CallOptions } from '../call/call-options.ts';
import type { Connection } from '../call/connection.ts';
import { make } from '../call/make.ts';
import type { JsonValue } from '../json/json-number.ts';
import { type Action, actionFromWire } from '../wire/action.ts';
import { jsonIf } from '../wire/error.ts';
import { byRequestId, proposal, type StageInput } from './stage.ts';

/** One tool call of a model. What only a write needs (`ttlMs`, `requestId`) does nothing for a read. */
export type CallInput = StageInput;

interface CalledAnything {
  /** The exact text for the model's transcript. */
  readonly modelJson: string;
  /** What this plan has waiting for a person, oldest first. */
  readonly pendingActions: readonly Action[];
}

/** A read has run; a write is staged, and nothing has run. */
export type Called = ReadCalled | WriteCalled;

export interface ReadCalled extends CalledAnything {
  readonly kind: 'read';
  /** The endpoint's answer, and its text byte for byte. */
  readonly result: JsonValue | undefined;
  readonly resultJson: string;
}

export interface WriteCalled extends CalledAnything {
  readonly kind: 'write';
  readonly action: Action;
  /** True when this proposal had been staged before, and nothing new was recorded. */
  readonly idempotentReplay: boolean;
}

export async function call(connection: Connection, input: CallInput, options?: CallOptions): Promise<Called> {
  const request = proposal(input);
  const answer = await make(
    connection,
    {
      repeat: 'keyed',
      findOut: [byRequestId(request.requestId)],
      // A read is tried three times at its endpoint before there is an answer.
      tryTimeoutMs: 90_000,
      send: (rpc) => connection.tools.call(request, rpc),
    },
    options,
  );
  const { modelJson, idempotentReplay, outcome } = answer;
  const pendingActions = answer.pendingActions.map(actionFromWire);
  if (outcome.case === 'action') {
    const action = actionFromWire(outcome.value);
    return { kind: 'write', action, idempotentReplay, modelJson, pendingActions };
  }
  const resultJson = outcome.value ?? '';
  return { kind: 'read', result: jsonIf(resultJson), resultJson, modelJson, pendingActions };
}
