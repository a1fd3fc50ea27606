import type { Action } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import type { Difference } from '../domain/observation.ts';
import { differencesOf, observationOf } from '../domain/observation.ts';
import { getMove } from '../domain/outcome.ts';
import type { Tool } from '../domain/tool.ts';
import type { CheckedWrite, ReadCheckPorts } from './read-check.ts';
import { readCheck } from './read-check.ts';

/** When it is staged: the declared precondition's read is called; what it answered is kept. Throws when it does not hold. */
export async function observePrecondition(
  ports: ReadCheckPorts,
  tool: Tool,
  write: CheckedWrite,
  signal: AbortSignal,
): Promise<string | null> {
  if (tool.precondition === null) return null;
  const checked = await readCheck(ports, tool.precondition, write, signal);
  signal.throwIfAborted();
  if (checked.kind === 'met') return observationOf(checked.answer, tool.precondition.fields);
  if (checked.kind === 'unknown') throw preconditionUnknown(tool, checked.error, 'Nothing was staged.');
  throw new CallError('PRECONDITION_NOT_MET', {
    message: `${tool.name} is not staged: ${checked.message}`,
    alternatives: [
      { action: 'call', tool: tool.precondition.read, description: 'Read how things stand, and propose what fits.' },
    ],
  });
}

/** The precondition as it is now, beside what it was when the action was staged. */
export interface Rechecked {
  readonly holds: boolean;
  /** Null when nothing was looked at then. */
  readonly before: string | null;
  readonly now: string;
  readonly differences: readonly Difference[];
}

/**
 * When it is confirmed: the read is called again and compared (DESIGN §2.2 step 7); an action that was staged before its tool
 * declared one must fit the expectation as it is now. Undefined when nothing is declared. Throws PRECONDITION_UNKNOWN when there
 * is no answer.
 */
export async function recheckPrecondition(
  ports: ReadCheckPorts,
  tool: Tool,
  action: Action,
  signal: AbortSignal,
): Promise<Rechecked | undefined> {
  const { precondition } = tool;
  if (precondition === null) return undefined;
  const checked = await readCheck(ports, precondition, action, signal);
  signal.throwIfAborted();
  if (checked.kind === 'unknown')
    throw preconditionUnknown(tool, checked.error, 'Nothing ran; the action stays as it is.', action);
  const now = observationOf(checked.answer, checked.kind === 'refused' ? null : precondition.fields);
  const differences = differencesSince(action.precondition, now, checked.kind === 'refused', precondition.fields);
  return { holds: checked.kind === 'met' && differences.length === 0, before: action.precondition, now, differences };
}

function differencesSince(
  before: string | null,
  now: string,
  refused: boolean,
  fields: readonly string[] | null,
): readonly Difference[] {
  if (refused) return [{ pointer: '', beforeJson: before, nowJson: now }];
  return before === null ? [] : differencesOf(before, now, fields);
}

function preconditionUnknown(
  tool: Tool,
  cause: { readonly message: string; readonly retryAfterSeconds?: number },
  what: string,
  action?: Action,
): CallError {
  return new CallError('PRECONDITION_UNKNOWN', {
    message: `Whether ${tool.name} may still be done cannot be known: ${tool.precondition?.read} gave no answer. ${cause.message} ${what}`,
    retryAfterSeconds: cause.retryAfterSeconds ?? 5,
    alternatives: action === undefined ? [] : [getMove(action, 'Read the action; confirm it again later.')],
  });
}
