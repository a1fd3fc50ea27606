import type { CallOptions } from '../call/call-options.ts';
import type { Connection } from '../call/connection.ts';
import { make } from '../call/make.ts';
import { type Arguments, argumentsText } from '../json/json-text.ts';
import { type Action, actionFromWire, actionOf } from '../wire/action.ts';

export type AmendInput = Arguments & {
  /** It must be PENDING and not in doubt. */
  readonly actionId: string;
  /** Your own id of this request: repeats with it return the same new action. */
  readonly requestId?: string;
  /** The tool that is meant, to be refused if the action is another's: an amendment cannot change it. */
  readonly tool?: string;
};

export interface Amended {
  /** The new action, PENDING. */
  readonly action: Action;
  /** The old action, SUPERSEDED; its id is dead. */
  readonly superseded: Action;
  /** The exact text for the model's transcript: the preview of the new action. */
  readonly modelJson: string;
  /** True when this amendment had been made before. */
  readonly idempotentReplay: boolean;
}

export async function amend(connection: Connection, input: AmendInput, options?: CallOptions): Promise<Amended> {
  const { actionId, requestId, tool } = input;
  const request = { actionId, argumentsJson: argumentsText(input), requestId, tool };
  const answer = await make(
    connection,
    {
      repeat: 'never',
      findOut: [
        { action: 'get', arguments: { action_id: actionId }, description: 'Read what superseded it, if anything.' },
      ],
      send: (rpc) => connection.actions.amend(request, rpc),
    },
    options,
  );
  const { superseded, modelJson, idempotentReplay } = answer;
  if (superseded === undefined) throw new TypeError('the answer has no superseded action');
  return { action: actionOf(answer), superseded: actionFromWire(superseded), modelJson, idempotentReplay };
}
