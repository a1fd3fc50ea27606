import { create } from '@bufbuild/protobuf';
import type { ConfirmResponse } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ConfirmResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { Confirmed } from '../../lifecycle/lifecycle.ts';
import { actionToWire } from '../../wire/action.ts';
import { errorToWire } from '../../wire/error.ts';
import { confirmStatusToWire } from './enums.ts';

/** What came of a confirm, alone or as an entry of a plan. */
export function confirmedToWire(confirmed: Confirmed): ConfirmResponse {
  const { status, action, result, error, modelJson, idempotentReplay } = confirmed;
  return create(ConfirmResponseSchema, {
    status: confirmStatusToWire[status],
    action: actionToWire(action, error),
    resultJson: result ?? undefined,
    error: error === null ? undefined : errorToWire(error),
    modelJson,
    idempotentReplay,
  });
}
