import { distance } from 'fastest-levenshtein';
import type { Action } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import type { Tool } from '../domain/tool.ts';
import type { ToolCatalog } from './ports/catalog.ts';

const most = 3;

/**
 * The tool as it is declared now; throws TOOL_NOT_FOUND with the nearest names that the move could take. What is not declared
 * cannot be called.
 */
export function findTool(catalog: ToolCatalog, name: string, move: 'stage' | 'call'): Tool {
  const tool = catalog.find(name);
  if (tool !== undefined) return tool;
  const names = catalog.names().filter((each) => move === 'call' || catalog.find(each)?.isWrite === true);
  const nearest = names.toSorted((a, b) => distance(name, a) - distance(name, b)).slice(0, most);
  throw new CallError('TOOL_NOT_FOUND', {
    message: `No tool is called ${JSON.stringify(name)}.${nearest.length === 0 ? '' : ` Did you mean ${nearest[0]}?`}`,
    field: 'tool',
    receivedJson: JSON.stringify(name),
    acceptedJson: nearest.map((each) => JSON.stringify(each)),
    alternatives: nearest.map((each) => ({ action: move, tool: each })),
  });
}

/**
 * The tool of a staged write, if it may still be done as it was staged: declared, a write, and taking these arguments. The
 * stricter of the catalog then and now counts (DESIGN §2.2 step 5); the action stays as it is. Throws.
 */
export function findWriteOf(catalog: ToolCatalog, action: Action): Tool {
  const tool = catalog.find(action.tool);
  if (tool === undefined) throw noLongerTaken(action, 'TOOL_NOT_FOUND', 'it is not declared any more');
  if (!tool.isWrite) throw noLongerTaken(action, 'TOOL_NOT_FOUND', 'it is declared a read now');
  const fault = tool.validate(JSON.parse(action.arguments));
  if (fault !== undefined) throw noLongerTaken(action, 'INVALID_ARGUMENTS', fault.message);
  return tool;
}

function noLongerTaken(action: Action, code: 'TOOL_NOT_FOUND' | 'INVALID_ARGUMENTS', why: string): CallError {
  return new CallError(code, {
    message: `${action.tool} cannot be done as it was staged: ${why}. Nothing ran; the action stays as it is.`,
    field: 'action_id',
    receivedJson: JSON.stringify(action.tool),
    alternatives: [
      {
        action: 'reject',
        argumentsJson: JSON.stringify({ action_id: action.id }),
        description: 'Say no to it, with the reason.',
      },
    ],
  });
}
