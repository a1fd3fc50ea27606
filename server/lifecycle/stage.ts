import type { Action, Observed } from '../domain/action.ts';
import { canonicaliseArguments } from '../domain/canonical-json.ts';
import { CallError } from '../domain/error.ts';
import { intentHash } from '../domain/intent.ts';
import { modelText } from '../domain/model-text.ts';
import { errorOf } from '../domain/outcome.ts';
import { previewDigestOf, summaryOf } from '../domain/preview.ts';
import type { Principal } from '../domain/principal.ts';
import { maySeeScope } from '../domain/principal.ts';
import type { Tool } from '../domain/tool.ts';
import { findTool } from './find-tool.ts';
import type { Staged, StageInput } from './lifecycle.ts';
import type { ActionStore, Ids, Log, NewAction, ToolCatalog } from './ports.ts';

export interface StagePorts {
  readonly store: ActionStore;
  readonly catalog: ToolCatalog;
  readonly ids: Ids;
  readonly log: Log;
}

/**
 * Records a proposed write and runs nothing (DESIGN §2.1). One transaction: the action, its intent, the caller's request id
 * and the event; before it nothing is written, after it the answer can be lost and asked for again.
 */
export async function stage(
  ports: StagePorts,
  principal: Principal,
  input: StageInput,
  signal: AbortSignal,
): Promise<Staged> {
  const tool = findTool(ports.catalog, input.tool);
  if (!tool.isWrite) throw notAWrite(tool);
  if (!maySeeScope(principal, input.scope)) throw foreignScope(principal, input.scope);
  const proposal = propose(tool, principal, input, ports.ids);
  // Its place in the flow: the precondition's read comes here, before anything is written (DESIGN §2.1 step 4).
  signal.throwIfAborted();
  const inserted = await ports.store.insert(proposal);
  if (inserted.kind === 'requested') assertSameProposal(inserted.observed.action, proposal);
  if (inserted.kind !== 'inserted') {
    // A repeated attempt (same request id) and a repeated intent are told apart (DESIGN §2.3).
    const repeat = inserted.kind === 'requested' ? 'request' : 'intent';
    ports.log.info({ action_id: inserted.observed.action.id, repeat }, 'a proposal was repeated');
  }
  return answer(inserted.observed, inserted.kind !== 'inserted');
}

function answer(observed: Observed, idempotentReplay: boolean): Staged {
  return {
    action: observed.action,
    error: errorOf(observed),
    modelJson: modelText(observed, { idempotentReplay }),
    idempotentReplay,
  };
}

function propose(tool: Tool, principal: Principal, input: StageInput, ids: Ids): NewAction {
  const canonical = canonicaliseArguments(input.argumentsJson);
  const fault = canonical.kind === 'invalid' ? canonical.fault : tool.validate(canonical.value);
  if (canonical.kind === 'invalid' || fault !== undefined) throw invalidArguments(tool, fault);
  const { tenantId, credentialId, userId: proposer } = principal;
  const { userId, scope } = input;
  const summary = summaryOf(tool.name, tool.summary, canonical.value);
  const id = ids.actionId();
  return {
    id,
    tenantId,
    scope,
    userId,
    tool: tool.name,
    arguments: canonical.text,
    previewDigest: previewDigestOf(tool.name, summary, canonical.text),
    planId: input.planId || ids.planId(),
    summary,
    risk: tool.risk,
    reversible: tool.reversible,
    endpoint: tool.endpoint,
    ttlMs: ttlOf(tool, input.ttlMs),
    proposedBy: { credentialId, userId: proposer },
    intentHash: intentHash({ tenantId, userId, scope, tool: tool.name, arguments: canonical.text }),
    requestId: input.requestId || null,
  };
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
    retryable: false,
    alternatives: [
      {
        action: 'stage',
        tool: tool.name,
        description: `Leave ttl out, or ask for at most ${tool.ttlSeconds} seconds.`,
      },
    ],
  });
}

/** A request id stands for one proposal as long as its action is kept. */
function assertSameProposal(action: Action, proposal: NewAction): void {
  const differs = (['tool', 'arguments', 'userId', 'scope'] as const).filter(
    (field) => action[field] !== proposal[field],
  );
  if (differs.length === 0) return;
  throw new CallError('IDEMPOTENCY_KEY_REUSED', {
    message: `This request_id was used for another proposal: ${differs.map(fieldName).join(', ')} differ. Nothing was recorded.`,
    field: 'request_id',
    receivedJson: JSON.stringify(proposal.requestId),
    retryable: false,
    alternatives: [
      {
        action: 'stage',
        tool: proposal.tool,
        argumentsJson: proposal.arguments,
        description: 'Use a new request_id for a new proposal.',
      },
    ],
  });
}

function fieldName(field: 'tool' | 'arguments' | 'userId' | 'scope'): string {
  return field === 'userId' ? 'user_id' : field;
}

function invalidArguments(tool: Tool, fault: ReturnType<Tool['validate']>): CallError {
  return new CallError('INVALID_ARGUMENTS', {
    ...(fault ?? { message: 'The arguments do not fit.' }),
    retryable: false,
    alternatives: [{ action: 'stage', tool: tool.name, description: 'Correct the arguments and propose it again.' }],
  });
}

function notAWrite(tool: Tool): CallError {
  return new CallError('INVALID_REQUEST', {
    message: `${tool.name} is a read; only a tool that is declared a write can be staged.`,
    field: 'tool',
    receivedJson: JSON.stringify(tool.name),
    retryable: false,
  });
}

function foreignScope(principal: Principal, scope: string): CallError {
  return new CallError('PERMISSION_DENIED', {
    message: `This credential is good for other scopes than ${JSON.stringify(scope)}.`,
    field: 'scope',
    receivedJson: JSON.stringify(scope),
    acceptedJson: (principal.scopes ?? []).map((each) => JSON.stringify(each)),
    retryable: false,
  });
}
