import { create } from '@bufbuild/protobuf';
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import type { ActionableError as WireError } from '@tether/proto/tether/v1/error_pb.ts';
import { ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import type { ActionableError } from '../domain/error.ts';
import { effectToWire } from './enums.ts';

/** An actionable error as it travels: in outcomes, in actions, and as the detail of a failed RPC. */
export function errorToWire(error: ActionableError): WireError {
  return create(ActionableErrorSchema, {
    code: error.code,
    message: error.message,
    field: error.field,
    receivedJson: error.receivedJson,
    limitJson: error.limitJson,
    acceptedJson: [...(error.acceptedJson ?? [])],
    effect: effectToWire[error.effect],
    retryable: error.retryable,
    retryAfter: error.retryAfterSeconds === undefined ? undefined : durationFromMs(error.retryAfterSeconds * 1000),
    alternatives: error.alternatives?.map((each) => ({ ...each })),
  });
}
