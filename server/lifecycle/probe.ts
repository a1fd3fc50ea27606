import type { Action, Observed } from '../domain/action.ts';
import { attemptsInDoubt, isPastExpiry } from '../domain/action.ts';
import type { CallError } from '../domain/error.ts';
import { modelText } from '../domain/model-text.ts';
import { errorOf } from '../domain/outcome.ts';
import type { Principal } from '../domain/principal.ts';
import { transition } from '../domain/transition.ts';
import { doubtGate } from './doubt-gate.ts';
import { find } from './find.ts';
import { followUp } from './follow-up.ts';
import { allAtOnce } from './for-each.ts';
import { invalidRequest } from './invalid-request.ts';
import type { Lookup, Probed } from './lifecycle.ts';
import { notInDoubt } from './not-in-doubt.ts';
import type { ActionStore } from './ports/action-store.ts';
import type { ToolCatalog } from './ports/catalog.ts';
import type { Dispatcher, ProbeAnswer } from './ports/dispatcher.ts';
import type { Log } from './ports/process.ts';
import { inFlight } from './standing.ts';

export interface ProbePorts {
  readonly store: ActionStore;
  readonly dispatcher: Dispatcher;
  readonly catalog: ToolCatalog;
  readonly log: Log;
}

const firstProbeMs = 1_000;
const longestPauseMs = 300_000;

/** Asks now (DESIGN §2.3). The answer may settle the doubt; nothing is ever dispatched by it. */
export async function probeNow(
  ports: ProbePorts,
  principal: Principal,
  lookup: Extract<Lookup, { by: 'action-id' }>,
  signal: AbortSignal,
): Promise<Probed> {
  const observed = await find(ports.store, principal, lookup);
  const { action } = observed;
  if (action.state === 'EXECUTING') throw inFlight(observed);
  if (attemptsInDoubt(action.attempts).length === 0) throw notInDoubt(observed);
  if (!ports.catalog.answersProbes(action.endpoint)) throw answersNoProbes(action);
  const { answer, settled, after } = await probe(ports, observed, signal);
  return {
    disposition: answer.disposition,
    settled,
    action: after.action,
    error: errorOf(after),
    modelJson: modelText(after, { idempotentReplay: false }),
    nextProbeAt: after.action.nextProbeAt,
  };
}

/** Asks about what is due, of all tenants, at once: a silent endpoint holds up no other. Returns how many it asked about. */
export async function sweepProbes(ports: ProbePorts): Promise<number> {
  const due = await ports.store.takeDueProbes(20, longestPauseMs);
  const answerable = due.filter(({ action }) => ports.catalog.answersProbes(action.endpoint));
  await allAtOnce(answerable, async (observed) => {
    const { settled } = await probe(ports, observed);
    if (!settled) await ports.store.scheduleProbe(observed.action, nextPause(observed));
  });
  return answerable.length;
}

/** The pause grows with the age of the newest doubt: about as long again as it has lasted, 1 s to 5 min. */
function nextPause({ action, at }: Observed): number {
  const since = Math.max(...attemptsInDoubt(action.attempts).map(({ startedAt }) => startedAt.getTime()));
  return Math.min(Math.max(at.getTime() - since, firstProbeMs), longestPauseMs);
}

/**
 * One question and what it settles. "Not executed" is the endpoint's promise about this and all earlier attempts; it is believed
 * only if it was asked 30 s or more after the deadline of every attempt in doubt. What is written is guarded by the version that
 * was read before the question: whoever moved the action meanwhile has made the answer void.
 */
async function probe(
  ports: ProbePorts,
  asked: Observed,
  signal?: AbortSignal,
): Promise<{ answer: ProbeAnswer; settled: boolean; after: Observed }> {
  const { action } = asked;
  const doubts = attemptsInDoubt(action.attempts);
  const answer = await ports.dispatcher.probe({
    endpoint: action.endpoint,
    requestId: action.id.replaceAll('-', ''),
    tool: action.tool,
    tenant: { id: action.tenantId, scope: action.scope, userId: action.userId },
    actionId: action.id,
    attempt: doubts.at(-1)?.number ?? 1,
    signal,
  });
  ports.log.info({ action_id: action.id, disposition: answer.disposition }, 'an endpoint was asked about a doubt');
  const event = await eventOf(ports, asked, answer);
  const moved = event && transition(action, event);
  if (moved?.kind !== 'moved') return { answer, settled: false, after: asked };
  const written = await ports.store.apply({
    action,
    state: moved.state,
    effect: moved.effect,
    event: 'PROBED',
    actor: null,
    note: answer.disposition,
    attempts: moved.attempts.map((change) => ({
      ...change,
      error: change.effect === 'NONE' ? answer.refusal : null,
      result: change.effect === 'APPLIED' ? answer.result : null,
    })),
    ...followUp(ports.catalog, action, moved),
  });
  if (written !== undefined) return { answer, settled: true, after: written };
  const now = await ports.store.find(action.tenantId, action.id);
  return { answer, settled: false, after: now ?? asked };
}

/** The gate is judged as of the question, the expiry as of the answer: the endpoint may have taken its time. */
async function eventOf({ store }: ProbePorts, asked: Observed, { disposition }: ProbeAnswer) {
  if (disposition === 'EXECUTED') return { type: 'landed' } as const;
  if (disposition !== 'NOT_EXECUTED' || asked.at < doubtGate(asked.action)) return undefined;
  const now = (await store.find(asked.action.tenantId, asked.action.id)) ?? asked;
  return { type: 'not-landed', pastExpiry: isPastExpiry(now) } as const;
}

function answersNoProbes(action: Action): CallError {
  return invalidRequest({
    message: `The endpoint of ${action.tool} answers no probes; look at the business system and use Resolve.`,
    field: 'action_id',
    receivedJson: JSON.stringify(action.id),
    alternatives: [
      {
        action: 'resolve',
        argumentsJson: JSON.stringify({ action_id: action.id, expected_attempts: action.attempts.length }),
        description: 'Say what a person saw in the business system.',
      },
    ],
  });
}
