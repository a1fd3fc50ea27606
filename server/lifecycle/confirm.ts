import type { Actor, Observed } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import { dangersOf, digestMatches, isSecondPerson } from '../domain/guard.ts';
import { differencesText } from '../domain/observation.ts';
import { getMove } from '../domain/outcome.ts';
import type { Principal } from '../domain/principal.ts';
import type { Tool } from '../domain/tool.ts';
import { transition } from '../domain/transition.ts';
import { assertAuthorised } from './authorise.ts';
import { confirmed, preconditionChanged } from './confirmed.ts';
import type { ExecutePorts } from './execute.ts';
import { execute } from './execute.ts';
import { find } from './find.ts';
import { findTool } from './find-tool.ts';
import { followUp } from './follow-up.ts';
import type { Confirmed, ConfirmInput } from './lifecycle.ts';
import type { ActionStore, Authorizer, Place } from './ports.ts';
import { recheckPrecondition } from './precondition.ts';
import { repeated } from './repeated.ts';
import { inFlight, standing } from './standing.ts';
import { verifyInLine } from './verify.ts';

export interface ConfirmPorts extends ExecutePorts {
  readonly authorizer: Authorizer;
}

/** A person's decision to run a staged write, in the order of DESIGN §2.2: each step before the next, nothing written before the claim. */
export async function confirm(
  ports: ConfirmPorts,
  principal: Principal,
  input: ConfirmInput,
  signal: AbortSignal,
): Promise<Confirmed> {
  assertApprover(principal); // 1
  const [observed] = await Promise.all([
    find(ports.store, principal, { by: 'action-id', actionId: input.actionId }), // 2
    assertKeyIsFree(ports.store, principal, input), // 3
  ]);
  const known = repeated(observed, input.expectedAttempts) ?? standing(observed, input.acknowledgeIndeterminate); // 3, 4
  if (known !== undefined) {
    ports.log.info({ action_id: input.actionId, repeat: 'confirm', status: known.status }, 'a confirm was repeated');
    return known;
  }
  const tool = findTool(ports.catalog, observed.action.tool);
  const approver = { credentialId: principal.credentialId, userId: principal.userId };
  guard(observed, tool, approver, input); // 5
  await assertAuthorised(ports.authorizer, observed, approver, signal); // 6
  const changed = await recheck(ports, observed, tool, approver, signal); // 7
  if (changed !== undefined) return changed;
  const place = await reserve(ports, observed, signal);
  return run(ports, principal, approver, input, observed, tool, place);
}

/** 8 to 11. From here on the caller may go away, and it is finished all the same (rule 5). */
async function run(
  ports: ConfirmPorts,
  principal: Principal,
  approver: Actor,
  { idempotencyKey, acknowledgeIndeterminate }: ConfirmInput,
  { action }: Observed,
  tool: Tool,
  place: Place,
): Promise<Confirmed> {
  const executed = await ports.executions.track(
    execute(ports, { action, approver, idempotencyKey: idempotencyKey || null, tool, place }),
  );
  switch (executed.kind) {
    case 'settled':
      return confirmed(await ports.executions.track(verifyInLine(ports, executed.observed)), executed.attempt); // 11
    case 'key-reused':
      throw keyReused(idempotencyKey);
    case 'lost': {
      const now = await find(ports.store, principal, { by: 'action-id', actionId: action.id });
      return standing(now, acknowledgeIndeterminate) ?? fail(inFlight(now));
    }
  }
}

function fail(error: CallError): never {
  throw error;
}

/** Throws PERMISSION_DENIED for a credential that can never confirm. */
export function assertApprover(principal: Principal): void {
  if (principal.role === 'approver') return;
  throw new CallError('PERMISSION_DENIED', {
    message: `A credential of role ${principal.role} cannot confirm; a person with an approver's credential decides.`,
    acceptedJson: ['"approver"'],
  });
}

/** A key serves one action, whatever state that is in. The unique index says so once more in the claim. */
async function assertKeyIsFree(
  store: ActionStore,
  { tenantId, userId }: Principal,
  { idempotencyKey, actionId }: ConfirmInput,
): Promise<void> {
  if (idempotencyKey === '') return;
  const holder = await store.findByIdempotencyKey(tenantId, userId, idempotencyKey);
  if (holder !== undefined && holder.action.id !== actionId) throw keyReused(idempotencyKey);
}

function keyReused(key: string): CallError {
  return new CallError('IDEMPOTENCY_KEY_REUSED', {
    message: 'This idempotency_key was used to confirm another action. Nothing ran.',
    field: 'idempotency_key',
    receivedJson: JSON.stringify(key),
    alternatives: [
      { action: 'confirm', description: 'Use a key of its own for each action.' },
      {
        action: 'get',
        argumentsJson: JSON.stringify({ idempotency_key: key }),
        description: 'Read the action that the key belongs to.',
      },
    ],
  });
}

function guard({ action }: Observed, tool: Tool, approver: Actor, input: ConfirmInput): void {
  if (!digestMatches(action, input.previewDigest)) {
    throw new CallError('PREVIEW_DIGEST_MISMATCH', {
      message: 'What was shown is not what would run: preview_digest differs from that of the action.',
      field: 'preview_digest',
      receivedJson: JSON.stringify(input.previewDigest),
      acceptedJson: [JSON.stringify(action.previewDigest)],
      alternatives: [getMove(action, 'Show the person the action as it is, and let them decide again.')],
    });
  }
  const reasons = dangersOf(action, tool, JSON.parse(action.arguments));
  if (reasons.length > 0 && !input.acknowledgeHighRisk) {
    throw new CallError('RISK_ACKNOWLEDGEMENT_REQUIRED', {
      message: `${reasons.join(' ')} Whoever confirms it must set acknowledge_high_risk.`,
      field: 'acknowledge_high_risk',
      receivedJson: 'false',
      acceptedJson: ['true'],
      alternatives: [
        {
          action: 'confirm',
          argumentsJson: JSON.stringify({ action_id: action.id, acknowledge_high_risk: true }),
          description: 'Confirm again once the person has acknowledged the risk.',
        },
      ],
    });
  }
  if ((action.fourEyes || tool.fourEyes) && !isSecondPerson(action, approver)) {
    throw new CallError('SECOND_PERSON_REQUIRED', {
      message: `${tool.name} takes a second person: neither who proposed it, nor on whose behalf, nor who amended it.`,
      receivedJson: JSON.stringify(approver.userId),
      alternatives: [getMove(action, 'Ask somebody else to confirm it.')],
    });
  }
}

/** Settles PRECONDITION_FAILED when the world changed while it waited; in doubt, the change may be our own (rule 4). */
async function recheck(
  ports: ConfirmPorts,
  observed: Observed,
  tool: Tool,
  approver: Actor,
  signal: AbortSignal,
): Promise<Confirmed | undefined> {
  const { action } = observed;
  const rechecked = await recheckPrecondition(ports, tool, action, signal);
  if (rechecked === undefined || rechecked.holds) return undefined;
  const note =
    rechecked.differences.length > 0
      ? `Since it was staged: ${differencesText(rechecked.differences)}.`
      : `${tool.precondition?.expect?.text ?? ''} does not hold.`;
  const moved = transition(action, { type: 'differs' });
  if (moved.kind !== 'moved') throw worldChanged(observed, note);
  const { state, effect } = moved;
  const change = { action, state, effect, event: 'PRECONDITION_CHANGED', actor: approver, note, attempts: [] } as const;
  const written = await ports.store.apply({ ...change, ...followUp(ports.catalog, action, moved) });
  if (written !== undefined) return preconditionChanged(written);
  const now = await ports.store.find(action.tenantId, action.id);
  return standing(now ?? observed, false) ?? fail(inFlight(now ?? observed));
}

/** INDETERMINATE stays so: the change may be what an attempt of ours did. */
function worldChanged({ action }: Observed, note: string): CallError {
  return new CallError('OUTCOME_INDETERMINATE', {
    message: `The world changed, and an attempt of ours may be why. ${note} This confirm ran nothing.`,
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

/** A place among the endpoint's calls, before the claim (rule 7); the caller's signal ends the wait. */
async function reserve({ dispatcher }: ConfirmPorts, { action }: Observed, signal: AbortSignal): Promise<Place> {
  signal.throwIfAborted();
  const place = await dispatcher.reserve(action.endpoint, signal);
  if (signal.aborted) place?.release();
  signal.throwIfAborted();
  if (place !== undefined) return place;
  throw new CallError('TOOL_UNAVAILABLE', {
    message: `The endpoint of ${action.tool} takes no more calls at the moment. Nothing ran; the action can still be confirmed.`,
    retryable: true,
    retryAfterSeconds: 5,
    alternatives: [
      {
        action: 'confirm',
        argumentsJson: JSON.stringify({ action_id: action.id }),
        description: 'Confirm again later.',
      },
    ],
  });
}
