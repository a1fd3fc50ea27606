import { create } from '@bufbuild/protobuf';
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import { Effect } from '@tether/proto/clients/tether/v1/effect_pb.ts';
import { type ActionableError, ActionableErrorSchema } from '@tether/proto/clients/tether/v1/error_pb.ts';
import type { RefusalRecord } from '../refusal-record.ts';

/** A refusal as the message that both answers have a place for. */
export function errorMessage(refusal: RefusalRecord): ActionableError {
  const { code, message, field, receivedJson, limitJson, acceptedJson, retryable, retryAfterSeconds } = refusal;
  return create(ActionableErrorSchema, {
    ...{ code, message, field, receivedJson, limitJson, retryable },
    acceptedJson: [...(acceptedJson ?? [])],
    effect: effects[refusal.effect],
    retryAfter: retryAfterSeconds === undefined ? undefined : durationFromMs(Math.round(retryAfterSeconds * 1_000)),
    alternatives: refusal.alternatives?.map((alternative) => ({ ...alternative })),
  });
}

const effects: Record<RefusalRecord['effect'], Effect> = {
  none: Effect.NONE,
  unknown: Effect.UNKNOWN,
  applied: Effect.APPLIED,
};
