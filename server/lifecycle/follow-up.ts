import type { Action, State } from '../domain/action.ts';
import { attemptsInDoubt } from '../domain/action.ts';
import type { AttemptChange } from '../domain/transition.ts';
import type { Change } from './ports/action-store.ts';
import type { ToolCatalog } from './ports/catalog.ts';

/** How long the jobs let a confirm verify in line before they do so themselves. */
const verifyAfterMs = 15_000;

/** How soon an endpoint is asked about a doubt that has just arisen. */
const firstProbeMs = 1_000;

/**
 * What a transition makes due, to be written with it: the verification of every way of becoming SUCCEEDED, and the probe of
 * what is in doubt at an endpoint that answers probes. Nothing for tools and endpoints that declare neither.
 */
export function followUp(
  catalog: ToolCatalog,
  action: Action,
  moved: { readonly state: State; readonly attempts: readonly AttemptChange[] },
): Pick<Change, 'verification' | 'verifyInMs' | 'probeInMs'> {
  const succeeds = moved.state === 'SUCCEEDED' && action.state !== 'SUCCEEDED';
  const verifies = succeeds && (catalog.find(action.tool)?.verify ?? null) !== null;
  return {
    ...(verifies ? { verification: { state: 'DUE', reason: '', at: null }, verifyInMs: verifyAfterMs } : {}),
    ...(catalog.answersProbes(action.endpoint) ? { probeInMs: probeTime(action, moved.attempts) } : {}),
  };
}

function probeTime(action: Action, changes: readonly AttemptChange[]): number | null {
  const after = action.attempts.map((attempt) => ({
    ...attempt,
    ...changes.find(({ number }) => number === attempt.number),
  }));
  return attemptsInDoubt(after).length > 0 ? firstProbeMs : null;
}
