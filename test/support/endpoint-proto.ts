import { create } from '@bufbuild/protobuf';
import { durationFromMs, timestampDate } from '@bufbuild/protobuf/wkt';
import {
  type AuthorizeRequest,
  type AuthorizeResponse,
  AuthorizeResponseSchema,
} from '@tether/proto/tether/v1/authorizer_pb.ts';
import { Effect } from '@tether/proto/tether/v1/effect_pb.ts';
import { type ActionableError, ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { ProbeDisposition } from '@tether/proto/tether/v1/probe_disposition_pb.ts';
import {
  InvokeMode,
  type InvokeRequest,
  type InvokeResponse,
  InvokeResponseSchema,
  type ProbeRequest,
  type ProbeResponse,
  ProbeResponseSchema,
} from '@tether/proto/tether/v1/tool_endpoint_pb.ts';
import type { EndpointTransport } from '../../server/domain/endpoint.ts';
import type { EndpointAnswer, EndpointCall, EndpointPetition, VendorError } from './endpoint-answer.ts';

type HeaderFields = Readonly<Record<string, string>>;

/** An `InvokeRequest` in the words of the log. */
export function callOf(transport: EndpointTransport, request: InvokeRequest, headers: HeaderFields): EndpointCall {
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

/** A `ProbeRequest` in the words of the log. */
export function probeOf(transport: EndpointTransport, request: ProbeRequest, headers: HeaderFields): EndpointCall {
  const { requestId, tool, actionId, attempt, tenant } = request;
  return {
    transport,
    idempotencyKey: headers['x-tether-idempotency-key'] ?? '',
    ...{ requestId, tool, argumentsJson: '', isWrite: true, mode: 'probe', actionId, attempt, headers },
    tenant: { id: tenant?.id ?? '', scope: tenant?.scope ?? '', userId: tenant?.userId ?? '' },
    deadline: new Date(Number.NaN),
    body: '',
  };
}

/** An `AuthorizeRequest` in the words of the log. */
export function petitionOf(
  transport: EndpointTransport,
  { action, approver }: AuthorizeRequest,
  headers: HeaderFields,
): EndpointPetition {
  const who = (actor: { credentialId: string; userId: string } | undefined) => ({
    ...{ credentialId: actor?.credentialId ?? '', userId: actor?.userId ?? '' },
  });
  return {
    transport,
    action: {
      ...{ id: action?.id ?? '', tenantId: action?.tenantId ?? '', tool: action?.tool ?? '' },
      ...{ argumentsJson: action?.argumentsJson ?? '', summary: action?.summary ?? '' },
      previewDigest: action?.previewDigest ?? '',
      proposedBy: who(action?.proposedBy),
    },
    approver: who(approver),
    headers,
    body: '',
  };
}

/** The answers that are messages of the method; undefined for all others. */
export const messageOf = {
  invoke(answer: EndpointAnswer): InvokeResponse | undefined {
    if (answer.kind === 'empty') return create(InvokeResponseSchema);
    if (answer.kind === 'result') {
      return create(InvokeResponseSchema, { outcome: { case: 'resultJson', value: answer.json } });
    }
    if (answer.kind !== 'refusal') return undefined;
    return create(InvokeResponseSchema, { outcome: { case: 'refusal', value: protoError(answer.error) } });
  },
  probe(answer: EndpointAnswer): ProbeResponse | undefined {
    if (answer.kind === 'empty') return create(ProbeResponseSchema);
    if (answer.kind !== 'probed') return undefined;
    const { disposition, json, refusal } = answer;
    return create(ProbeResponseSchema, {
      disposition: ProbeDisposition[disposition],
      resultJson: json,
      refusal: refusal && protoError(refusal),
    });
  },
  authorize(answer: EndpointAnswer): AuthorizeResponse | undefined {
    if (answer.kind === 'empty') return create(AuthorizeResponseSchema);
    if (answer.kind !== 'decided') return undefined;
    const { allowed, reason } = answer;
    return create(AuthorizeResponseSchema, { allowed, reason: reason && protoError(reason) });
  },
};

export function protoError(error: VendorError): ActionableError {
  const { code, message, field, receivedJson, limitJson, acceptedJson, effect, retryable, retryAfterSeconds } = error;
  return create(ActionableErrorSchema, {
    ...{ code, message, field, receivedJson, limitJson, retryable },
    acceptedJson: acceptedJson && [...acceptedJson],
    effect: effect && Effect[effect],
    retryAfter: retryAfterSeconds === undefined ? undefined : durationFromMs(retryAfterSeconds * 1_000),
  });
}
