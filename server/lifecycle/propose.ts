import type { Actor } from '../domain/action.ts';
import { canonicaliseArguments } from '../domain/canonical-json.ts';
import type { ActionableError } from '../domain/error.ts';
import { CallError } from '../domain/error.ts';
import { declaredValue } from '../domain/guard.ts';
import { intentHash } from '../domain/intent.ts';
import { previewDigestOf, summaryOf } from '../domain/preview.ts';
import type { Tool } from '../domain/tool.ts';
import type { NewAction } from './ports/action-store.ts';
import type { Ids } from './ports/process.ts';

/** What is proposed, for whom and by whom. */
export interface Proposal {
  readonly argumentsJson: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly scope: string;
  /** Empty: the action is a plan of its own. */
  readonly planId: string;
  /** Empty: none. */
  readonly requestId: string;
  readonly ttlMs: number | undefined;
  readonly proposedBy: Actor;
  /** Whose request id it is. */
  readonly requestedBy: Actor;
  /** Null when it amends nothing. */
  readonly amends: { readonly by: Actor; readonly placedAt: Date } | null;
}

/** A proposal, checked and in the form in which it is kept, but for its precondition (DESIGN §2.1 steps 2, 3 and 5). Throws. */
export function propose(tool: Tool, proposal: Proposal, ids: Ids): NewAction {
  const { argumentsJson, tenantId, userId, scope, proposedBy, requestedBy, amends } = proposal;
  const { text, value } = acceptedArguments(tool, argumentsJson);
  const summary = summaryOf(tool.name, tool.summary, value);
  const id = ids.actionId();
  return {
    id,
    tenantId,
    scope,
    userId,
    tool: tool.name,
    arguments: text,
    previewDigest: previewDigestOf(tool.name, summary, text),
    planId: proposal.planId || id,
    summary,
    risk: tool.risk,
    reversible: tool.reversible,
    endpoint: tool.endpoint,
    ttlMs: ttlOf(tool, proposal.ttlMs),
    proposedBy,
    intentHash: intentHash({ tenantId, userId, scope, tool, arguments: { text, value } }),
    requestId: proposal.requestId || null,
    requestedBy,
    value: declaredValue(tool, value),
    fourEyes: tool.fourEyes,
    precondition: null,
    intentWindowMs: tool.intent?.windowMs ?? 0,
    amendedBy: amends?.by ?? null,
    placedAt: amends?.placedAt ?? null,
  };
}

/** The arguments of a tool call, as RFC 8785 text and as a value; throws INVALID_ARGUMENTS. */
export function acceptedArguments(
  tool: Tool,
  argumentsJson: string,
): { readonly text: string; readonly value: unknown } {
  const canonical = canonicaliseArguments(argumentsJson);
  if (canonical.kind === 'invalid') throw invalidArguments(tool, canonical.fault);
  const fault = tool.validate(canonical.value);
  if (fault !== undefined) throw invalidArguments(tool, fault);
  return canonical;
}

function invalidArguments(tool: Tool, fault: Omit<ActionableError, 'code' | 'effect' | 'retryable'>): CallError {
  const move = tool.isWrite ? 'stage' : 'call';
  return new CallError('INVALID_ARGUMENTS', {
    ...fault,
    alternatives: [{ action: move, tool: tool.name, description: 'Correct the arguments and call it again.' }],
  });
}

function ttlOf(tool: Tool, asked: number | undefined): number {
  const longest = tool.ttlSeconds * 1000;
  if (asked === undefined) return longest;
  if (asked > 0 && asked <= longest) return asked;
  throw new CallError('INVALID_REQUEST', {
    message: `A proposal of ${tool.name} waits for more than 0 and at most ${tool.ttlSeconds} seconds; ttl asks for ${asked / 1000}.`,
    field: 'ttl',
    receivedJson: String(asked / 1000),
    limitJson: String(tool.ttlSeconds),
    alternatives: [
      {
        action: 'stage',
        tool: tool.name,
        description: `Leave ttl out, or ask for at most ${tool.ttlSeconds} seconds.`,
      },
    ],
  });
}
