import { CallError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import { assertApprover, type ConfirmPorts, confirm } from './confirm.ts';
import { invalidRequest } from './invalid-request.ts';
import type { ConfirmInput, PlanVerdict } from './lifecycle.ts';

/**
 * Confirms entries in order, each with its own decision, and tells a verdict per entry. It stops at the first that does not
 * succeed, or before the next claim when the caller is gone, and says what was not run: the rest is untouched (DESIGN §2.3).
 */
export async function* confirmPlan(
  ports: ConfirmPorts,
  principal: Principal,
  entries: readonly ConfirmInput[],
  signal: AbortSignal,
): AsyncGenerator<PlanVerdict> {
  assertApprover(principal);
  assertDistinct(entries);
  let stopped: string | undefined;
  for (const [index, entry] of entries.entries()) {
    const verdict =
      stopped === undefined
        ? await decide(ports, principal, entry, signal)
        : ({ kind: 'not-run', reason: stopped } as const);
    yield { index, actionId: entry.actionId, ...verdict };
    stopped ??= reasonToStop(verdict, index, signal);
  }
}

type Verdict = PlanVerdict extends infer V ? (V extends PlanVerdict ? Omit<V, 'index' | 'actionId'> : never) : never;

async function decide(
  ports: ConfirmPorts,
  principal: Principal,
  entry: ConfirmInput,
  signal: AbortSignal,
): Promise<Verdict> {
  try {
    return { kind: 'confirmed', confirmed: await confirm(ports, principal, entry, signal) };
  } catch (error) {
    // The signal is heeded before the claim only, so nothing of this entry ran.
    if (signal.aborted && error === signal.reason) return { kind: 'not-run', reason: callEnded };
    if (error instanceof CallError) return { kind: 'refused', error: error.detail };
    throw error;
  }
}

const callEnded =
  'The call ended before its turn: the caller had gone, the credential was no longer good, or the server was stopping.';

function reasonToStop(verdict: Verdict, index: number, signal: AbortSignal): string | undefined {
  if (signal.aborted) return callEnded;
  if (verdict.kind === 'refused') return `Entry ${index} was refused: ${verdict.error.code}.`;
  if (verdict.kind !== 'confirmed') return undefined;
  const { status } = verdict.confirmed;
  return status === 'EXECUTED' || status === 'REPLAYED' ? undefined : `Entry ${index} did not succeed: ${status}.`;
}

function assertDistinct(entries: readonly ConfirmInput[]): void {
  const seen = new Set<string>();
  for (const [index, { actionId }] of entries.entries()) {
    if (seen.has(actionId)) {
      throw invalidRequest({
        message: `Action ${actionId} stands in the plan twice; an action is decided once.`,
        field: `/entries/${index}/action_id`,
        receivedJson: JSON.stringify(actionId),
      });
    }
    seen.add(actionId);
  }
}
