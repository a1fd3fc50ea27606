import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { ProbeDisposition as ProtoDisposition } from '@tether/proto/tether/v1/probe_disposition_pb.ts';
import { ProbeRequestSchema, ProbeResponseSchema, ToolEndpoint } from '@tether/proto/tether/v1/tool_endpoint_pb.ts';
import type { ProbeDisposition } from '../../lifecycle/ports/dispatcher.ts';
import { probeId } from '../signing/message-id.ts';
import type { ProbeReply, Question } from '../transport.ts';
import { fromProtoError } from './proto-error.ts';
import type { ProtoMessage } from './unary.ts';

/** `ToolEndpoint.Probe`. */
export const probeMessage: ProtoMessage<Question, ProbeReply> = {
  request(question) {
    const { requestId, tool, tenant, actionId, attempt } = question;
    const { id, scope, userId } = tenant;
    const request = create(ProbeRequestSchema, { requestId, tool, tenant: { id, scope, userId }, actionId, attempt });
    const message = toBinary(ProbeRequestSchema, request);
    return { path: probePath, message, id: () => probeId(question), key: requestId };
  },
  reply(bytes) {
    const { disposition, resultJson, refusal } = fromBinary(ProbeResponseSchema, bytes);
    return {
      kind: 'probed',
      disposition: dispositions.get(disposition),
      result: resultJson === '' ? undefined : resultJson,
      refusal: refusal && fromProtoError(refusal),
    };
  },
};

const probePath = `/${ToolEndpoint.typeName}/${ToolEndpoint.method.probe.name}`;

const dispositions = new Map<number, ProbeDisposition>([
  [ProtoDisposition.EXECUTED, 'EXECUTED'],
  [ProtoDisposition.NOT_EXECUTED, 'NOT_EXECUTED'],
  [ProtoDisposition.IN_PROGRESS, 'IN_PROGRESS'],
  [ProtoDisposition.UNKNOWN, 'UNKNOWN'],
]);
