import type { Action, Observed, Resolution } from '../domain/action.ts';
import { attemptsInDoubt, isPastExpiry } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import { modelText } from '../domain/model-text.ts';
import { errorOf, getMove } from '../domain/outcome.ts';
import type { Principal } from '../domain/principal.ts';
import { transition } from '../domain/transition.ts';
import { doubtGate } from './doubt-gate.ts';
import { find } from './find.ts';
import { followUp } from './follow-up.ts';
import { invalidRequest } from './invalid-request.ts';
import type { Decided, ResolveInput } from './lifecycle.ts';
import { notInDoubt } from './not-in-doubt.ts';
import type { ActionStore } from './ports/action-store.ts';
import type { ToolCatalog } from './ports/catalog.ts';
import { inFlight } from './standing.ts';

export interface ResolvePorts {
  readonly store: ActionStore;
  readonly catalog: ToolCatalog;
}

/**
 * A person settles a doubt (DESIGN §2.3). Losing to another transition is answered as what the action has become; the same
 * decision repeated is replayed, another one is refused.
 */
export async function resolve(ports: ResolvePorts, principal: Principal, input: ResolveInput): Promise<Decided> {
  const observed = await find(ports.store, principal, { by: 'action-id', actionId: input.actionId });
  return (await decide(ports, principal, input, observed)) ?? (await retry(ports, principal, input));
}

/** Somebody moved the action between the read and the write: once more, on what it is now. */
async function retry(ports: ResolvePorts, principal: Principal, input: ResolveInput): Promise<Decided> {
  const observed = await find(ports.store, principal, { by: 'action-id', actionId: input.actionId });
  const decided = await decide(ports, principal, input, observed);
  if (decided === undefined) throw inFlight(observed);
  return decided;
}

async function decide(
  { store, catalog }: ResolvePorts,
  principal: Principal,
  input: ResolveInput,
  observed: Observed,
): Promise<Decided | undefined> {
  const { action } = observed;
  if (action.state === 'EXECUTING') throw inFlight(observed);
  assertAttempts(action, input.expectedAttempts);
  if (isRepeatOfLanded(action, principal, input)) return answer(observed, true);
  const event = input.landed
    ? ({ type: 'landed' } as const)
    : ({ type: 'not-landed', pastExpiry: isPastExpiry(observed) } as const);
  const moved = transition(action, event);
  if (moved.kind !== 'moved') return standingDecision(observed, input);
  if (input.landed === false) assertLookedLateEnough(observed, input);
  if (input.observedAt > observed.at) throw lookedInTheFuture(observed, input);
  assertLookedAfterAttempt(action, input);
  const by = { credentialId: principal.credentialId, userId: principal.userId };
  const written = await store.apply({
    action,
    state: moved.state,
    effect: moved.effect,
    event: 'RESOLVED',
    actor: by,
    note: `${input.landed ? 'landed' : 'not landed'}: ${input.note}`,
    attempts: moved.attempts.map((change) => ({
      ...change,
      error: null,
      result: change.effect === 'APPLIED' ? input.resultJson : null,
    })),
    resolution: { landed: input.landed, by },
    ...followUp(catalog, action, moved),
  });
  return written && answer(written, false);
}

function answer(observed: Observed, idempotentReplay: boolean): Decided {
  return {
    action: observed.action,
    error: errorOf(observed),
    modelJson: modelText(observed, { idempotentReplay }),
    idempotentReplay,
  };
}

/**
 * "Landed", said once more by the same person. It must not settle the doubt about another attempt, which stands beside the
 * success for a person to look at; after "landed" no further attempt is made that it could be a new word about.
 */
function isRepeatOfLanded({ resolution }: Action, { userId }: Principal, { landed }: ResolveInput): boolean {
  return landed && resolution?.landed === true && resolution.by.userId === userId;
}

/** Nothing is in doubt (any more): a repeat of what was decided is answered as it was, everything else is refused. */
function standingDecision(observed: Observed, { landed }: ResolveInput): Decided {
  const { resolution } = observed.action;
  if (resolution === null) throw notInDoubt(observed);
  if (resolution.landed === landed) return answer(observed, true);
  throw decidedOtherwise(observed, resolution);
}

function decidedOtherwise({ action }: Observed, { landed, by }: Resolution): CallError {
  return new CallError('ACTION_SETTLED', {
    message: `${by.userId} has said already that it ${landed ? 'landed' : 'did not land'}; the action is ${action.state}, with effect ${action.effect}.`,
    field: 'landed',
    acceptedJson: [String(landed)],
    alternatives: [getMove(action, 'Read what was decided.')],
  });
}

function assertAttempts(action: Action, expected: number): void {
  const used = action.attempts.length;
  if (used === expected) return;
  const more = used > expected;
  throw new CallError(more ? 'OUTCOME_INDETERMINATE' : 'INVALID_REQUEST', {
    message: more
      ? `Another attempt was made since the person looked: ${used} are used, not ${expected}. Look again.`
      : `expected_attempts says ${expected}, and the action has used ${used}.`,
    field: 'expected_attempts',
    receivedJson: String(expected),
    acceptedJson: [String(used)],
    alternatives: [getMove(action, 'Read how many attempts are used.')],
  });
}

/** "Not landed" can be known only once no delayed request can still be applied (DESIGN §2.3). */
function assertLookedLateEnough({ action, at }: Observed, { observedAt }: ResolveInput): void {
  const gate = doubtGate(action);
  if (observedAt >= gate || attemptsInDoubt(action.attempts).length === 0) return;
  throw new CallError('OUTCOME_INDETERMINATE', {
    message: `A delayed request could still be applied until ${gate.toISOString()}, and the person looked at ${observedAt.toISOString()}: look again after that.`,
    field: 'observed_at',
    receivedJson: JSON.stringify(observedAt.toISOString()),
    limitJson: JSON.stringify(gate.toISOString()),
    retryAfterSeconds: Math.max(0, Math.ceil((gate.getTime() - at.getTime()) / 1000)),
    alternatives: [getMove(action, 'Look at the business system then, and say what is there.')],
  });
}

/** A look from before the first attempt that is meant says nothing about it. */
function assertLookedAfterAttempt(action: Action, { observedAt }: ResolveInput): void {
  const [first] = [...attemptsInDoubt(action.attempts), ...action.attempts];
  if (first === undefined || observedAt >= first.startedAt) return;
  throw invalidRequest({
    message: `The attempt was made at ${first.startedAt.toISOString()}; what was seen at ${observedAt.toISOString()} says nothing about it.`,
    field: 'observed_at',
    receivedJson: JSON.stringify(observedAt.toISOString()),
    limitJson: JSON.stringify(first.startedAt.toISOString()),
  });
}

function lookedInTheFuture({ at }: Observed, { observedAt }: ResolveInput): CallError {
  return invalidRequest({
    message: `observed_at is when the person looked; ${observedAt.toISOString()} is still to come.`,
    field: 'observed_at',
    receivedJson: JSON.stringify(observedAt.toISOString()),
    limitJson: JSON.stringify(at.toISOString()),
  });
}
