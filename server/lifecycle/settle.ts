import type { Action, Actor, Observed } from '../domain/action.ts';
import { isPastExpiry } from '../domain/action.ts';
import type { Answer } from '../domain/answer.ts';
import { CallError } from '../domain/error.ts';
import { getMove } from '../domain/outcome.ts';
import { transition } from '../domain/transition.ts';
import type { Executions } from './executions.ts';
import { followUp } from './follow-up.ts';
import type { ActionStore, Change } from './ports/action-store.ts';
import type { ToolCatalog } from './ports/catalog.ts';
import type { Clock, Log } from './ports/process.ts';
import { StoreUnavailable } from './ports/store-unavailable.ts';

export interface SettlePorts {
  readonly store: ActionStore;
  readonly catalog: ToolCatalog;
  readonly clock: Clock;
  readonly executions: Executions;
  readonly log: Log;
}

const firstPauseMs = 100;
const longestPauseMs = 5_000;

/**
 * Records the answer of an attempt. Losing to another transition (a lease that was over, another attempt's late answer) is no
 * error: the record is read again and the answer lands on its own attempt as a late one (rule 3).
 *
 * When the database cannot be reached the recording is retried until the drain ends, and the caller is told UNKNOWN (rule 8);
 * if the process dies before, the lease makes the action INDETERMINATE.
 */
export async function settle(
  ports: SettlePorts,
  claimed: Action,
  attempt: number,
  answer: Answer,
  actor: Actor,
): Promise<Observed> {
  try {
    return await record(ports, { action: claimed, at: claimed.createdAt }, attempt, answer, actor);
  } catch (error) {
    if (error instanceof StoreUnavailable) void ports.executions.track(retry(ports, claimed, attempt, answer, actor));
    ports.log.error(
      { action_id: claimed.id, attempt, answer: answer.kind, err: error },
      'the outcome of an attempt could not be recorded',
    );
    throw new CallError(
      error instanceof StoreUnavailable ? 'UNAVAILABLE' : 'INTERNAL',
      {
        message: 'The write was sent, and its outcome could not be recorded yet. It may or may not have taken effect.',
        effect: 'UNKNOWN',
        retryable: false,
        alternatives: [getMove(claimed, 'Read the action until it says what came of it.')],
      },
      { cause: error },
    );
  }
}

async function record(
  { store, catalog }: SettlePorts,
  from: Observed,
  attempt: number,
  answer: Answer,
  actor: Actor,
): Promise<Observed> {
  for (let seen = from; ; ) {
    const change = changeBy(catalog, seen, attempt, answer, actor);
    if (change === undefined) return seen;
    const written = await store.apply(change);
    if (written !== undefined) return written;
    const again = await store.find(seen.action.tenantId, seen.action.id);
    if (again === undefined) throw new Error('the action of an attempt is gone');
    seen = again;
  }
}

/** What the answer changes now; undefined when the record says all of it already. */
function changeBy(
  catalog: ToolCatalog,
  seen: Observed,
  number: number,
  answer: Answer,
  actor: Actor,
): Change | undefined {
  const { action } = seen;
  const moved = transition(action, { type: 'answer', attempt: number, answer, pastExpiry: isPastExpiry(seen) });
  if (moved.kind === 'unchanged') return undefined;
  if (moved.kind === 'refused') throw new Error(`an answer has no place in state ${action.state}`);
  const open = action.attempts.some((each) => each.number === number && each.outcome === 'OPEN');
  return {
    action,
    state: moved.state,
    effect: moved.effect,
    event: open ? 'SETTLED' : 'LATE_ANSWER',
    actor,
    attempts: moved.attempts.map((change) => ({
      ...change,
      error: answer.kind === 'succeeded' ? null : answer.error,
      result: answer.kind === 'succeeded' ? answer.result : null,
    })),
    ...followUp(catalog, action, moved),
  };
}

async function retry(
  ports: SettlePorts,
  claimed: Action,
  attempt: number,
  answer: Answer,
  actor: Actor,
): Promise<void> {
  const { store, clock, executions, log } = ports;
  const facts = { action_id: claimed.id, attempt, answer: answer.kind };
  for (let pause = firstPauseMs; !executions.closing.aborted; pause = Math.min(pause * 2, longestPauseMs)) {
    await clock.delay(pause, executions.closing);
    try {
      const seen = await store.find(claimed.tenantId, claimed.id);
      if (seen === undefined) throw new Error('the action of an attempt is gone');
      await record(ports, seen, attempt, answer, actor);
      log.warn(facts, 'the outcome of an attempt was recorded late');
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        log.error({ ...facts, err: error }, 'the outcome of an attempt cannot be recorded');
        return;
      }
    }
  }
  log.error(
    facts,
    'the outcome of an attempt was not recorded before the end: its lease will make the action INDETERMINATE',
  );
}
