import { create } from '@bufbuild/protobuf';
import { durationFromMs, timestampDate } from '@bufbuild/protobuf/wkt';
import { Effect } from '@tether/proto/tether/v1/effect_pb.ts';
import { type ActionableError, ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { InvokeMode, type InvokeRequest } from '@tether/proto/tether/v1/tool_endpoint_pb.ts';
import type { EndpointTransport } from '../../server/domain/endpoint.ts';
import type { EndpointCall, VendorError } from './endpoint-answer.ts';

/** An `InvokeRequest` in the words of the log. */
export function callOf(
  transport: EndpointTransport,
  request: InvokeRequest,
  headers: Readonly<Record<string, string>>,
): EndpointCall {
  const { requestId, tool, argumentsJson, isWrite, mode, actionId, attempt, tenant, deadline } = request;
  return {
    transport,
    idempotencyKey: headers['x-tether-idempotency-key'] ?? '',
    ...{ requestId, tool, argumentsJson, isWrite, actionId, attempt, headers },
    tenant: { id: tenant?.id ?? '', scope: tenant?.scope ?? '', userId: tenant?.userId ?? '' },
    mode: mode === InvokeMode.EXECUTE ? 'execute' : mode === InvokeMode.READ ? 'read' : String(mode),
    deadline: deadline ? timestampDate(deadline) : new Date(Number.NaN),
    body: '',
  };
}

export function protoError(error: VendorError): ActionableError {
  const { code, message, field, receivedJson, limitJson, acceptedJson, effect, retryable, retryAfterSeconds } = error;
  return create(ActionableErrorSchema, {
    ...{ code, message, field, receivedJson, limitJson, retryable },
    acceptedJson: acceptedJson && [...acceptedJson],
    effect: effect && Effect[effect],
    retryAfter: retryAfterSeconds === undefined ? undefined : durationFromMs(retryAfterSeconds * 1_000),
  });
}
