import { create } from '@bufbuild/protobuf';
import type { Tool as WireTool } from '@tether/proto/tether/v1/tool_pb.ts';
import { ToolSchema } from '@tether/proto/tether/v1/tool_pb.ts';
import type { Tool } from '../../domain/tool.ts';
import { reversibleToWire, riskToWire } from '../../wire/enums.ts';

/** A tool as a harness hands it to its model. */
export function toolToWire({ name, description, input, isWrite, risk, reversible }: Tool): WireTool {
  return create(ToolSchema, {
    name,
    description,
    inputSchemaJson: JSON.stringify(input),
    isWrite,
    risk: riskToWire[risk],
    reversible: isWrite && reversible !== null ? reversibleToWire[reversible] : undefined,
  });
}
