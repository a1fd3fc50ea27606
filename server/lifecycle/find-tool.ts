import { closest, distance } from 'fastest-levenshtein';
import { CallError } from '../domain/error.ts';
import type { Tool } from '../domain/tool.ts';
import type { ToolCatalog } from './ports.ts';

const most = 3;

/** The tool as it is declared now; throws TOOL_NOT_FOUND with the nearest names. What is not declared cannot be called. */
export function findTool(catalog: ToolCatalog, name: string): Tool {
  const tool = catalog.find(name);
  if (tool !== undefined) return tool;
  const names = catalog.names();
  const nearest = [...names].sort((a, b) => distance(name, a) - distance(name, b)).slice(0, most);
  const guess = names.length === 0 ? '' : ` Did you mean ${closest(name, [...names])}?`;
  throw new CallError('TOOL_NOT_FOUND', {
    message: `No tool is called ${JSON.stringify(name)}.${guess}`,
    field: 'tool',
    receivedJson: JSON.stringify(name),
    acceptedJson: nearest.map((each) => JSON.stringify(each)),
    alternatives: nearest.map((each) => ({ action: 'stage', tool: each })),
  });
}
