import { create } from '@bufbuild/protobuf';
import type { ListToolsRequestSchema } from '@tether/proto/tether/v1/tool_service_pb.ts';
import { ListToolsResponseSchema, ToolService } from '@tether/proto/tether/v1/tool_service_pb.ts';
import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { toolToWire } from '../proto/tool.ts';
import { rolesOfToolService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function listToolsRpc(
  lifecycle: Lifecycle,
): UnaryRpc<typeof ListToolsRequestSchema, typeof ListToolsResponseSchema> {
  return {
    kind: 'unary',
    method: ToolService.method.listTools,
    roles: rolesOfToolService.listTools,
    async handle() {
      return create(ListToolsResponseSchema, { tools: lifecycle.listTools().map(toolToWire) });
    },
  };
}
