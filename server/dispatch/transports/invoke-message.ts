import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  InvokeMode,
  InvokeRequestSchema,
  InvokeResponseSchema,
  ToolEndpoint,
} from '@tether/proto/tether/v1/tool_endpoint_pb.ts';
import { callId } from '../signing/message-id.ts';
import type { Outgoing, Reply } from '../transport.ts';
import { fromProtoError } from './proto-error.ts';
import type { ProtoMessage } from './unary.ts';

/** `ToolEndpoint.Invoke`. An answer without an outcome is unreadable. */
export const invokeMessage: ProtoMessage<Outgoing, Reply> = {
  request(outgoing) {
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
    const message = toBinary(InvokeRequestSchema, request);
    return { path: invokePath, message, id: () => callId(outgoing), key: requestId };
  },
  reply(bytes, { maxResponseBytes }) {
    const { outcome } = fromBinary(InvokeResponseSchema, bytes);
    if (outcome.case === 'refusal') return { kind: 'refusal', error: fromProtoError(outcome.value) };
    if (outcome.case !== 'resultJson') return { kind: 'unreadable' };
    if (Buffer.byteLength(outcome.value) > maxResponseBytes) return { kind: 'too-large', status: 200 };
    return { kind: 'result', json: outcome.value };
  },
};

const invokePath = `/${ToolEndpoint.typeName}/${ToolEndpoint.method.invoke.name}`;
