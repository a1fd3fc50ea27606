import type { Action, Actor, Attempt, Observed } from '../domain/action.ts';
import type { Answer } from '../domain/answer.ts';
import type { Tool } from '../domain/tool.ts';
import type { Claimed } from './ports/action-store.ts';
import type { Dispatcher, Place, WriteCall } from './ports/dispatcher.ts';
import type { Clock } from './ports/process.ts';
import type { SettlePorts } from './settle.ts';
import { settle } from './settle.ts';

export interface ExecutePorts extends SettlePorts {
  readonly dispatcher: Dispatcher;
}

/** How old a claim may be when the write is about to go out (rule 7). */
const oldestClaimMs = 10_000;

/**
 * Claim, dispatch once, settle (DESIGN §2.2 steps 8 to 10). The clocks are read before the claim is issued. Once it is
 * committed nothing of the caller's stops what follows; if the process dies in it, the lease makes the action INDETERMINATE.
 */
export async function execute(
  ports: ExecutePorts,
  {
    action,
    approver,
    idempotencyKey,
    tool,
    place,
  }: { action: Action; approver: Actor; idempotencyKey: string | null; tool: Tool; place: Place },
): Promise<
  | Exclude<Claimed, { kind: 'claimed' }>
  | { readonly kind: 'settled'; readonly observed: Observed; readonly attempt: number }
> {
  try {
    const fresh = freshness(ports.clock);
    const timeoutMs = tool.timeoutSeconds * 1000;
    const claimed = await ports.store.claim({ action, approver, idempotencyKey, timeoutMs });
    if (claimed.kind !== 'claimed') return claimed;
    const answer = await send(ports, callOf(claimed.action, claimed.attempt, timeoutMs, fresh));
    place.release();
    const observed = await settle(ports, claimed.action, claimed.attempt.number, answer, approver);
    return { kind: 'settled', observed, attempt: claimed.attempt.number };
  } finally {
    place.release();
  }
}

/** False once more than 10 s have gone by either clock: the monotonic one may stand still while the machine sleeps. */
function freshness(clock: Clock): () => boolean {
  const monotonic = clock.monotonic();
  const wall = clock.wall();
  return () => clock.monotonic() - monotonic <= oldestClaimMs && clock.wall() - wall <= oldestClaimMs;
}

function callOf(action: Action, attempt: Attempt, timeoutMs: number, maySend: () => boolean): WriteCall {
  return {
    endpoint: action.endpoint,
    requestId: action.id.replaceAll('-', ''),
    tool: action.tool,
    arguments: action.arguments,
    tenant: { id: action.tenantId, scope: action.scope, userId: action.userId },
    actionId: action.id,
    attempt: attempt.number,
    deadline: attempt.deadlineAt,
    timeoutMs,
    maySend,
  };
}

/** A dispatcher never throws for what an endpoint does; should it break all the same, nobody knows what was sent (rule 4). */
async function send({ dispatcher, log }: ExecutePorts, call: WriteCall): Promise<Answer> {
  try {
    return await dispatcher.write(call);
  } catch (error) {
    log.error({ action_id: call.actionId, attempt: call.attempt, err: error }, 'the dispatch of a write broke');
    const message = 'The call broke on our side, perhaps after it was sent.';
    return {
      kind: 'no-answer',
      error: { code: 'OUTCOME_INDETERMINATE', message, effect: 'UNKNOWN', retryable: false },
    };
  }
}
