import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ConfirmRequestSchema, ConfirmResponse } from '@tether/proto/clients/tether/v1/action_service_pb.ts';
import type { CallOptions } from '../call/call-options.ts';
import type { Connection } from '../call/connection.ts';
import { make } from '../call/make.ts';
import type { JsonValue } from '../json/json-number.ts';
import { randomId } from '../random-id.ts';
import { type ActionableError, invalidInput } from '../tether-error.ts';
import { type Action, actionOf } from '../wire/action.ts';
import { type ConfirmStatus, confirmStatus } from '../wire/enums.ts';
import { errorFromWire, jsonIf } from '../wire/error.ts';

/** The action as the person saw it who decides. */
export type Seen =
  | {
      /** As it was shown: its id, how many attempts were used, and the digest of what would run. */
      readonly action: Pick<Action, 'id' | 'attemptsUsed' | 'previewDigest'>;
    }
  | {
      readonly actionId: string;
      /**
       * How many attempts were used when the person decided. When more are used by now, this is a repeat of an answered confirm:
       * it gets the recorded outcome and runs nothing.
       */
      readonly expectedAttempts: number;
      /** The digest of what the person was shown; not checked when it is not there. */
      readonly previewDigest?: string;
    };

export type ConfirmInput = Seen & {
  /** Must be true where the action says `acknowledgementRequired`. */
  readonly acknowledgeHighRisk?: boolean;
  /** Must be true to make another attempt while the outcome of an earlier one is unknown. */
  readonly acknowledgeIndeterminate?: boolean;
  /** Your own key for this confirmation, which `get` finds it by; never for two actions. Made when it is not there. */
  readonly idempotencyKey?: string;
};

/** What came of a confirm. Every recorded outcome resolves, good or bad; look at `status`. */
export interface Confirmed {
  readonly status: ConfirmStatus;
  readonly action: Action;
  /** The endpoint's answer, and its text byte for byte; not there unless EXECUTED or REPLAYED. */
  readonly result?: JsonValue;
  readonly resultJson?: string;
  /** Why it did not succeed; not there when EXECUTED or REPLAYED. */
  readonly error?: ActionableError;
  /** The exact text for the model's transcript. */
  readonly modelJson: string;
  /** True when this answers from the record and nothing ran now. */
  readonly idempotentReplay: boolean;
}

export async function confirm(connection: Connection, input: ConfirmInput, options?: CallOptions): Promise<Confirmed> {
  const request = decision(input);
  const { actionId } = request;
  const answer = await make(
    connection,
    {
      repeat: 'confirm',
      findOut: [{ action: 'get', arguments: { action_id: actionId }, description: 'Read what became of it.' }],
      tryTimeoutMs: 60_000,
      send: (rpc) => connection.actions.confirm(request, rpc),
    },
    options,
  );
  return confirmedFromWire(answer);
}

export type ConfirmRequestInit = MessageInitShape<typeof ConfirmRequestSchema> & { readonly actionId: string };

/** The request of Confirm: with a key, and with the attempts that were seen, so that repeating it makes no second one. */
export function decision(input: ConfirmInput): ConfirmRequestInit {
  const { acknowledgeHighRisk, acknowledgeIndeterminate, idempotencyKey = randomId() } = input;
  const seen =
    'action' in input
      ? { ...input.action, actionId: input.action.id, expectedAttempts: input.action.attemptsUsed }
      : input;
  const { actionId, expectedAttempts, previewDigest } = seen;
  if (!Number.isInteger(expectedAttempts))
    throw invalidInput(
      'INVALID_REQUEST',
      'expected_attempts',
      'A confirm says how many attempts were used when the person decided (action.attemptsUsed): without it a repeat after a lost answer could be a second attempt.',
    );
  return { actionId, expectedAttempts, previewDigest, acknowledgeHighRisk, acknowledgeIndeterminate, idempotencyKey };
}

export function confirmedFromWire(answer: ConfirmResponse): Confirmed {
  return {
    status: confirmStatus(answer.status),
    action: actionOf(answer),
    result: jsonIf(answer.resultJson),
    resultJson: answer.resultJson || undefined,
    error: answer.error && errorFromWire(answer.error),
    modelJson: answer.modelJson,
    idempotentReplay: answer.idempotentReplay,
  };
}
