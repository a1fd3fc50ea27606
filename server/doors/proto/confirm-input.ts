import type { ConfirmRequest } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { ConfirmInput } from '../../lifecycle/lifecycle.ts';
import { actionIdFromWire } from './action-id.ts';

/** A person's decision, alone or as an entry of a plan. */
export function confirmInputFromWire(request: ConfirmRequest): ConfirmInput {
  const { idempotencyKey, acknowledgeHighRisk, acknowledgeIndeterminate, previewDigest, expectedAttempts } = request;
  const actionId = actionIdFromWire(request.actionId);
  return { actionId, idempotencyKey, acknowledgeHighRisk, acknowledgeIndeterminate, previewDigest, expectedAttempts };
}
