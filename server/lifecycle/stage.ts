import type { Observed } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import { modelText } from '../domain/model-text.ts';
import { errorOf } from '../domain/outcome.ts';
import type { Principal } from '../domain/principal.ts';
import { maySeeScope } from '../domain/principal.ts';
import { findTool } from './find-tool.ts';
import { invalidRequest } from './invalid-request.ts';
import type { Staged, StageInput } from './lifecycle.ts';
import type { ActionStore, Inserted, NewAction } from './ports/action-store.ts';
import type { ToolCatalog } from './ports/catalog.ts';
import type { Dispatcher } from './ports/dispatcher.ts';
import type { Ids, Log } from './ports/process.ts';
import type { Stops } from './ports/stops.ts';
import type { RepeatTelemetry } from './ports/telemetry.ts';
import { observePrecondition } from './precondition.ts';
import { propose } from './propose.ts';
import { assertSameProposal, assertSameWish } from './same-proposal.ts';
import { stopMetBy, stopped } from './stops/not-stopped.ts';

export interface StagePorts {
  readonly store: ActionStore;
  readonly catalog: ToolCatalog;
  readonly dispatcher: Dispatcher;
  readonly ids: Ids;
  readonly stops: Stops;
  readonly log: Log;
  readonly telemetry: RepeatTelemetry;
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
  const tool = findTool(ports.catalog, input.tool, 'stage');
  if (!tool.isWrite) throw notAWrite(tool.name);
  if (!maySeeScope(principal, input.scope)) throw foreignScope(principal, input.scope);
  const { tenantId, credentialId, userId } = principal;
  const by = { credentialId, userId };
  const proposal = propose(tool, { ...input, tenantId, proposedBy: by, requestedBy: by, amends: null }, ports.ids);
  const stop = await stopMetBy(ports.stops, tenantId, tool);
  // Who meets an action that is there already asks nobody about the world, and nothing new is staged for them.
  const met = tool.precondition === null && stop === undefined ? undefined : await ports.store.meet(proposal);
  if (stop !== undefined && (met === undefined || met.observed.action.arguments !== proposal.arguments))
    throw stopped(stop);
  if (met !== undefined) return repeated(ports, proposal, met);
  const precondition = await observePrecondition(ports, tool, proposal, signal);
  signal.throwIfAborted();
  const inserted = await ports.store.insert({ ...proposal, precondition });
  return inserted.kind === 'inserted' ? answer(inserted.observed, false) : repeated(ports, proposal, inserted);
}

/** A repeated attempt (same request id) and a repeated intent are told apart (DESIGN §2.3). */
function repeated(
  { log, telemetry }: StagePorts,
  proposal: NewAction,
  met: Exclude<Inserted, { kind: 'inserted' }>,
): Staged {
  const { action } = met.observed;
  if (met.kind === 'requested') assertSameProposal(action, proposal);
  else assertSameWish(action, proposal);
  const what = met.kind === 'requested' ? 'request' : 'intent';
  telemetry.repeated(what);
  log.info({ action_id: action.id, repeat: what }, 'a proposal was repeated');
  return answer(met.observed, true);
}

function answer(observed: Observed, idempotentReplay: boolean): Staged {
  const { action } = observed;
  return { action, error: errorOf(observed), modelJson: modelText(observed, { idempotentReplay }), idempotentReplay };
}

/** Only a write is staged. */
export function notAWrite(name: string): CallError {
  return invalidRequest({
    message: `${name} is a read; only a tool that is declared a write can be staged.`,
    field: 'tool',
    receivedJson: JSON.stringify(name),
    alternatives: [{ action: 'call', tool: name, description: 'Call it: a read runs at once.' }],
  });
}

/** The refusal of a part of the tenant that the credential is not good for. */
export function foreignScope(principal: Principal, scope: string): CallError {
  return new CallError('PERMISSION_DENIED', {
    message: `This credential is good for other scopes than ${JSON.stringify(scope)}.`,
    field: 'scope',
    receivedJson: JSON.stringify(scope),
    acceptedJson: (principal.scopes ?? []).map((each) => JSON.stringify(each)),
  });
}
