import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  InvokeMode,
  InvokeRequestSchema,
  InvokeResponseSchema,
  ToolEndpoint,
} from '@tether/proto/tether/v1/tool_endpoint_pb.ts';
import type { EndpointSettings } from '../../domain/endpoint.ts';
import type { Outgoing, Reply } from '../transport.ts';
import { fromProtoError } from './proto-error.ts';

/** `/tether.v1.ToolEndpoint/Invoke` */
export const invokePath = `/${ToolEndpoint.typeName}/${ToolEndpoint.method.invoke.name}`;

/** Room for what frames a result of the largest allowed size, and for a refusal's fields, bytes. */
export const framingBytes = 1_024;

/** The call as `InvokeRequest`, in protobuf's binary form. */
export function invokeRequestBytes(outgoing: Outgoing): Uint8Array {
  const { requestId, tool, tenant, mode, actionId, attempt, deadline } = outgoing;
  const request = create(InvokeRequestSchema, {
    requestId,
    tool,
    argumentsJson: outgoing.arguments,
    tenant: { id: tenant.id, scope: tenant.scope, userId: tenant.userId },
    isWrite: mode === 'execute',
    mode: mode === 'execute' ? InvokeMode.EXECUTE : InvokeMode.READ,
    actionId,
    attempt,
    deadline: timestampFromDate(deadline),
  });
  return toBinary(InvokeRequestSchema, request);
}

/** What an `InvokeResponse` says; one that says nothing, or is none, is unreadable. */
export function invokeReply(bytes: Uint8Array, { maxResponseBytes }: EndpointSettings): Reply {
  try {
    const { outcome } = fromBinary(InvokeResponseSchema, bytes);
    if (outcome.case === 'refusal') return { kind: 'refusal', error: fromProtoError(outcome.value) };
    if (outcome.case !== 'resultJson') return { kind: 'unreadable' };
    if (Buffer.byteLength(outcome.value) > maxResponseBytes) return { kind: 'too-large', status: 200 };
    return { kind: 'result', json: outcome.value };
  } catch (cause) {
    return { kind: 'unreadable', cause };
  }
}

/** Metadata of every call, the same on both protocols. */
export function metadataOf({ requestId }: Outgoing, { bearerToken }: EndpointSettings): Record<string, string> {
  return {
    'x-tether-idempotency-key': requestId,
    ...(bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` }),
  };
}
