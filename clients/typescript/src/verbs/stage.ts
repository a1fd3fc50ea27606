import type { MessageInitShape } from '@bufbuild/protobuf';
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import type { StageRequestSchema } from '@tether/proto/clients/tether/v1/action_service_pb.ts';
import type { CallOptions } from '../call/call-options.ts';
import type { Connection } from '../call/connection.ts';
import { make } from '../call/make.ts';
import { type Arguments, argumentsText } from '../json/json-text.ts';
import { randomId } from '../random-id.ts';
import type { Alternative } from '../tether-error.ts';
import { type Action, actionOf } from '../wire/action.ts';

/** For whom, and as part of what, something is proposed. */
export interface ProposalContext {
  /** The user on whose behalf; recorded, and no authority. */
  readonly userId?: string;
  /** The part of the tenant. */
  readonly scope?: string;
  /** Groups what is proposed in one turn; made for this action when it is not there. */
  readonly planId?: string;
  /**
   * Your own id of this request: repeats with it return the same action. One is made when it is not there, for the client's own
   * repeats; give one of yours to repeat the proposal yourself, from another process for instance.
   */
  readonly requestId?: string;
  /** How long it may wait for a person, in milliseconds; at most the tool's own time, which is the default. */
  readonly ttlMs?: number;
}

export type StageInput = ProposalContext & Arguments & { readonly tool: string };

export interface Staged {
  readonly action: Action;
  /** The exact text for the model's transcript. */
  readonly modelJson: string;
  /** True when this proposal had been staged before, also by a repeat of this client's, and nothing new was recorded. */
  readonly idempotentReplay: boolean;
}

export async function stage(connection: Connection, input: StageInput, options?: CallOptions): Promise<Staged> {
  const request = proposal(input);
  const answer = await make(
    connection,
    {
      repeat: 'keyed',
      findOut: [byRequestId(request.requestId)],
      send: (rpc) => connection.actions.stage(request, rpc),
    },
    options,
  );
  const { modelJson, idempotentReplay } = answer;
  return { action: actionOf(answer), modelJson, idempotentReplay };
}

/** The request of Stage; that of Call has the same fields. */
type Proposal = Omit<MessageInitShape<typeof StageRequestSchema>, '$typeName' | '$unknown'> & {
  readonly requestId: string;
};

export function proposal(input: StageInput): Proposal {
  const { tool, userId, scope, planId, requestId = randomId(), ttlMs } = input;
  const ttl = ttlMs === undefined ? undefined : durationFromMs(ttlMs);
  return { tool, argumentsJson: argumentsText(input), userId, scope, planId, requestId, ttl };
}

/** How to find out what became of a proposal whose answer was lost. */
export function byRequestId(requestId: string): Alternative {
  return { action: 'get', arguments: { request_id: requestId }, description: 'Read whether it was staged.' };
}
