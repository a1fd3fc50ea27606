import type { Action, Observed } from '../domain/action.ts';
import { isPastExpiry } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import { modelText } from '../domain/model-text.ts';
import { errorOf, getMove } from '../domain/outcome.ts';
import type { Principal } from '../domain/principal.ts';
import { transition } from '../domain/transition.ts';
import { find, notFound } from './find.ts';
import { findTool } from './find-tool.ts';
import { invalidRequest } from './invalid-request.ts';
import type { AmendedShown, AmendInput } from './lifecycle.ts';
import type { NewAction } from './ports/action-store.ts';
import { observePrecondition } from './precondition.ts';
import { propose } from './propose.ts';
import { assertSameWish } from './same-proposal.ts';
import { notAWrite, type StagePorts } from './stage.ts';
import { inFlight, settled } from './standing.ts';
import { assertNotStopped } from './stops/not-stopped.ts';

/**
 * New arguments make a new action through every check of Stage; the old one is SUPERSEDED and its id is dead (DESIGN §2.3). Both
 * in one transaction, guarded by the old one's version: of two at once one wins, and a confirm in between beats both.
 */
export async function amend(
  ports: StagePorts,
  principal: Principal,
  input: AmendInput,
  signal: AbortSignal,
): Promise<AmendedShown> {
  const observed = await find(ports.store, principal, { by: 'action-id', actionId: input.actionId });
  const { action } = observed;
  const tool = findTool(ports.catalog, action.tool, 'stage');
  if (!tool.isWrite) throw notAWrite(tool.name);
  if (input.tool !== '' && input.tool !== action.tool) throw anotherTool(action, input.tool);
  const by = { credentialId: principal.credentialId, userId: principal.userId };
  const { tenantId, userId, scope, planId, proposedBy, placedAt } = action;
  const proposal = propose(
    tool,
    {
      ...input,
      tenantId,
      userId,
      scope,
      planId,
      proposedBy,
      requestedBy: by,
      ttlMs: undefined,
      amends: { by, placedAt },
    },
    ports.ids,
  );
  const before = await madeBefore(ports, principal, observed, proposal);
  if (before !== undefined) return answer(observed, before, true);
  assertAmendable(observed);
  await assertNotStopped(ports.stops, tenantId, tool);
  const precondition = await observePrecondition(ports, tool, proposal, signal);
  signal.throwIfAborted();
  const amended = await ports.store.amend(action, { ...proposal, precondition });
  switch (amended.kind) {
    case 'amended':
      return answer(amended.superseded, amended.observed, false);
    case 'requested':
      return answer(observed, assertMadeOf(observed, amended.observed, proposal), true);
    case 'held':
      assertSameWish(amended.observed.action, proposal);
      throw heldBySame(amended.observed.action);
    case 'lost': {
      const now = await find(ports.store, principal, { by: 'action-id', actionId: input.actionId });
      assertAmendable(now);
      throw inFlight(now);
    }
  }
}

function answer(superseded: Observed, observed: Observed, idempotentReplay: boolean): AmendedShown {
  return {
    action: observed.action,
    error: errorOf(observed),
    superseded: superseded.action,
    supersededError: errorOf(superseded),
    modelJson: modelText(observed, { idempotentReplay }),
    idempotentReplay,
  };
}

/** The new action, if this very amendment was made before and its answer was lost: by its request id, or by what it says. */
async function madeBefore(
  { store }: StagePorts,
  principal: Principal,
  old: Observed,
  proposal: NewAction,
): Promise<Observed | undefined> {
  if (proposal.requestId !== null) {
    const known = await store.findByRequestId(principal.tenantId, principal.credentialId, proposal.requestId);
    return known && assertMadeOf(old, known, proposal);
  }
  const { supersededBy } = old.action;
  if (supersededBy === null) return undefined;
  const successor = await store.find(principal.tenantId, supersededBy);
  const same =
    successor?.action.arguments === proposal.arguments && successor.action.amendedBy?.userId === principal.userId;
  return same ? successor : undefined;
}

function assertMadeOf(old: Observed, known: Observed, proposal: NewAction): Observed {
  if (known.action.supersedes === old.action.id && known.action.arguments === proposal.arguments) return known;
  throw new CallError('IDEMPOTENCY_KEY_REUSED', {
    message: 'This request_id was used for something else. Nothing was recorded.',
    field: 'request_id',
    receivedJson: JSON.stringify(proposal.requestId),
    alternatives: [
      {
        action: 'amend',
        argumentsJson: JSON.stringify({ action_id: old.action.id }),
        description: 'Use a new request_id for each amendment.',
      },
    ],
  });
}

/** The table decides; what follows says why it refuses. */
function assertAmendable(observed: Observed): void {
  const { action } = observed;
  if (transition(action, { type: 'amend', pastExpiry: isPastExpiry(observed) }).kind === 'moved') return;
  if (action.state === 'EXPIRED' || (action.state === 'PENDING' && isPastExpiry(observed))) throw notFound(action.id);
  if (action.state === 'EXECUTING') throw inFlight(observed);
  if (action.state === 'INDETERMINATE' || action.state === 'PENDING') throw amendedInDoubt(action);
  throw settled(observed, 'amended');
}

/** A new action has a new key: what an earlier attempt may have done could be done once more (rule 4). */
function amendedInDoubt(action: Action): CallError {
  return new CallError('OUTCOME_INDETERMINATE', {
    message: 'An earlier attempt may have taken effect; while that is in doubt the action cannot be amended.',
    field: 'action_id',
    receivedJson: JSON.stringify(action.state),
    alternatives: [
      {
        action: 'resolve',
        argumentsJson: JSON.stringify({ action_id: action.id, expected_attempts: action.attempts.length }),
        description: 'Check the business system, and say whether it landed.',
      },
      {
        action: 'probe_now',
        argumentsJson: JSON.stringify({ action_id: action.id }),
        description: 'Ask the endpoint.',
      },
    ],
  });
}

function anotherTool(action: Action, tool: string): CallError {
  return invalidRequest({
    message: `An amendment cannot change the tool: the action calls ${action.tool}, not ${JSON.stringify(tool)}. Reject it and propose the other.`,
    field: 'tool',
    receivedJson: JSON.stringify(tool),
    acceptedJson: [JSON.stringify(action.tool), '""'],
    alternatives: [
      {
        action: 'reject',
        argumentsJson: JSON.stringify({ action_id: action.id }),
        description: 'Say no, with the reason.',
      },
    ],
  });
}

function heldBySame(holder: Action): CallError {
  return new CallError('INTENT_HELD', {
    message: `Action ${holder.id} (${holder.state}) is that very proposal already. Nothing was recorded.`,
    field: 'arguments_json',
    alternatives: [getMove(holder, 'Read the action that holds the wish.')],
  });
}
