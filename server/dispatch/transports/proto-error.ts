import type { ConnectError } from '@connectrpc/connect';
import { Effect as ProtoEffect } from '@tether/proto/tether/v1/effect_pb.ts';
import {
  ActionableErrorSchema,
  type ActionableError as ProtoActionableError,
  type Alternative as ProtoAlternative,
} from '@tether/proto/tether/v1/error_pb.ts';
import type { Effect } from '../../domain/action.ts';
import type { ActionableError, Alternative } from '../../domain/error.ts';
import { type Failure, statusCodes } from '../transport.ts';
import { vendorJson, vendorText } from '../vendor-text.ts';

/** A vendor's refusal or error detail. What it left unsaid gets the cautious default of a refusal: NONE, not retryable. */
export function fromProtoError(proto: ProtoActionableError): ActionableError {
  const code = proto.code === '' ? 'REFUSED' : vendorText(proto.code, 'code');
  const accepted = proto.acceptedJson.map(vendorJson).filter((json) => json !== undefined);
  return {
    code,
    message: vendorText(proto.message, 'message') || `The endpoint refused the call: ${code}.`,
    field: proto.field === '' ? undefined : vendorText(proto.field, 'word'),
    receivedJson: vendorJson(proto.receivedJson),
    limitJson: vendorJson(proto.limitJson),
    acceptedJson: accepted.length === 0 ? undefined : accepted,
    effect: fromProtoEffect(proto.effect),
    retryable: proto.retryable,
    retryAfterSeconds: proto.retryAfter && Number(proto.retryAfter.seconds) + proto.retryAfter.nanos / 1e9,
    alternatives: proto.alternatives.length === 0 ? undefined : proto.alternatives.map(fromProtoAlternative),
  };
}

function fromProtoAlternative(proto: ProtoAlternative): Alternative {
  const extra = vendorJson(proto.extraJson);
  return {
    action: vendorText(proto.action, 'word') || 'other',
    tool: proto.tool === '' ? undefined : vendorText(proto.tool, 'word'),
    argumentsJson: vendorJson(proto.argumentsJson),
    description: proto.description === '' ? undefined : vendorText(proto.description, 'message'),
    extraJson: extra?.trimStart().startsWith('{') ? extra : undefined,
  };
}

function fromProtoEffect(effect: ProtoEffect): Effect {
  if (effect === ProtoEffect.UNKNOWN) return 'UNKNOWN';
  return effect === ProtoEffect.APPLIED ? 'APPLIED' : 'NONE';
}

/** A status that came over the wire, with our error detail if the vendor attached one. */
export function statusReply(error: ConnectError): Failure {
  const code = statusCodes[error.code - 1] ?? 'UNKNOWN';
  const [detail] = error.findDetails(ActionableErrorSchema);
  return { kind: 'status', code, message: error.rawMessage, detail: detail && fromProtoError(detail) };
}
