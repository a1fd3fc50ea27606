import type { Observed } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import { acknowledgementReasons, digestMatches, strictestRisk } from '../domain/guard.ts';
import { getMove } from '../domain/outcome.ts';
import type { Principal } from '../domain/principal.ts';
import type { Tool } from '../domain/tool.ts';
import { confirmed } from './confirmed.ts';
import type { ExecutePorts } from './execute.ts';
import { execute } from './execute.ts';
import { find } from './find.ts';
import { findTool } from './find-tool.ts';
import type { Confirmed, ConfirmInput } from './lifecycle.ts';
import type { ActionStore, Place, ToolCatalog } from './ports.ts';
import { repeated } from './repeated.ts';
import { inFlight, standing } from './standing.ts';

export interface ConfirmPorts extends ExecutePorts {
  readonly catalog: ToolCatalog;
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
  guard(observed, tool, input); // 5
  // 6: the authorizer is asked here. 7: the precondition's read is called again here.
  const place = await reserve(ports, observed, signal);
  return run(ports, principal, input, observed, tool, place);
}

/** 8 to 10. From here on the caller may go away, and it is finished all the same (rule 5). */
async function run(
  ports: ConfirmPorts,
  principal: Principal,
  { idempotencyKey, acknowledgeIndeterminate }: ConfirmInput,
  { action }: Observed,
  tool: Tool,
  place: Place,
): Promise<Confirmed> {
  const approver = { credentialId: principal.credentialId, userId: principal.userId };
  const executed = await ports.executions.track(
    execute(ports, { action, approver, idempotencyKey: idempotencyKey || null, tool, place }),
  );
  switch (executed.kind) {
    case 'settled':
      return confirmed(executed.observed, executed.attempt);
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

function assertApprover(principal: Principal): void {
  if (principal.role === 'approver') return;
  throw new CallError('PERMISSION_DENIED', {
    message: `A credential of role ${principal.role} cannot confirm; a person with an approver's credential decides.`,
    acceptedJson: ['"approver"'],
    retryable: false,
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
    retryable: false,
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

function guard({ action }: Observed, tool: Tool, input: ConfirmInput): void {
  if (!digestMatches(action, input.previewDigest)) {
    throw new CallError('PREVIEW_DIGEST_MISMATCH', {
      message: 'What was shown is not what would run: preview_digest differs from that of the action.',
      field: 'preview_digest',
      receivedJson: JSON.stringify(input.previewDigest),
      acceptedJson: [JSON.stringify(action.previewDigest)],
      retryable: false,
      alternatives: [getMove(action, 'Show the person the action as it is, and let them decide again.')],
    });
  }
  const reasons = acknowledgementReasons(strictestRisk(action.risk, tool.risk));
  if (reasons.length > 0 && !input.acknowledgeHighRisk) {
    throw new CallError('RISK_ACKNOWLEDGEMENT_REQUIRED', {
      message: `${reasons.join(' ')} Whoever confirms it must set acknowledge_high_risk.`,
      field: 'acknowledge_high_risk',
      receivedJson: 'false',
      acceptedJson: ['true'],
      retryable: false,
      alternatives: [
        {
          action: 'confirm',
          argumentsJson: JSON.stringify({ action_id: action.id, acknowledge_high_risk: true }),
          description: 'Confirm again once the person has acknowledged the risk.',
        },
      ],
    });
  }
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
