import type { Actor, Observed } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import type { Tool } from '../domain/tool.ts';
import { assertAuthorised } from './authorise.ts';
import { confirmed } from './confirmed.ts';
import type { ExecutePorts } from './execute.ts';
import { execute } from './execute.ts';
import { find } from './find.ts';
import { findWriteOf } from './find-tool.ts';
import { assertGuards } from './guards.ts';
import type { Confirmed, ConfirmInput } from './lifecycle.ts';
import type { ActionStore } from './ports/action-store.ts';
import type { Authorizer } from './ports/authorizer.ts';
import type { Place } from './ports/dispatcher.ts';
import type { Stops } from './ports/stops.ts';
import type { RepeatTelemetry } from './ports/telemetry.ts';
import { repeated } from './repeated.ts';
import { settleIfChanged } from './settle-if-changed.ts';
import { inFlight, standing } from './standing.ts';
import { assertNotStopped, assertNotStoppedNow } from './stops/not-stopped.ts';
import { verifyInLine } from './verify.ts';

export interface ConfirmPorts extends ExecutePorts {
  readonly authorizer: Authorizer;
  readonly stops: Stops;
  readonly telemetry: RepeatTelemetry;
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
    ports.telemetry.repeated('confirm');
    ports.log.info({ action_id: input.actionId, repeat: 'confirm', status: known.status }, 'a confirm was repeated');
    return known;
  }
  await assertNotStopped(ports.stops, principal.tenantId, observed.action);
  const tool = findWriteOf(ports.catalog, observed.action);
  const approver = { credentialId: principal.credentialId, userId: principal.userId };
  assertGuards(observed, tool, approver, input); // 5
  await assertAuthorised(ports.authorizer, observed, approver, signal); // 6
  const changed = await settleIfChanged(ports, observed, tool, approver, signal); // 7
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
      const known = standing(now, acknowledgeIndeterminate);
      if (known !== undefined) return known;
      await assertNotStoppedNow(ports.stops, principal.tenantId, action);
      throw inFlight(now);
    }
  }
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

/** A place among the endpoint's calls, before the claim (rule 7); the caller's signal ends the wait. */
async function reserve({ dispatcher }: ConfirmPorts, { action }: Observed, signal: AbortSignal): Promise<Place> {
  signal.throwIfAborted();
  const place = await dispatcher.reserve(action.endpoint, signal);
  if (signal.aborted) place?.release();
  signal.throwIfAborted();
  if (place !== undefined) return place;
  throw new CallError('TOOL_UNAVAILABLE', {
    message: `The endpoint ${action.endpoint}, for which it was staged, takes no more calls at the moment, or is not declared any more. Nothing ran; the action stays as it is.`,
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
