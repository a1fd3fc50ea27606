import type { Observed, Verification } from '../domain/action.ts';
import { allAtOnce } from './for-each.ts';
import type { ActionStore } from './ports/action-store.ts';
import type { Log } from './ports/process.ts';
import type { ReadCheckPorts } from './read-check.ts';
import { readCheck } from './read-check.ts';

export interface VerifyPorts extends ReadCheckPorts {
  readonly store: ActionStore;
  readonly log: Log;
}

/** How long a confirm waits for its verification before it leaves it to the job. */
const inLineMs = 5_000;

/** How long a job that took a verification has to make it, before another replica may. */
const takenMs = 120_000;

/**
 * Calls the read that shows whether a write that succeeded really happened, and records VERIFIED or UNVERIFIED with the reason
 * (DESIGN §2.2 step 11). Nothing runs again, and the outcome does not change. Returns the action as it is afterwards: as it was
 * when there is nothing to verify, when time ran out (the job does it then), or when somebody else was faster.
 */
async function verify(ports: VerifyPorts, observed: Observed, signal?: AbortSignal): Promise<Observed> {
  const { action } = observed;
  if (action.state !== 'SUCCEEDED' || action.verification?.state !== 'DUE') return observed;
  const verification = await judge(ports, observed, signal);
  if (verification === undefined) return observed;
  const written = await ports.store.apply({
    action,
    state: action.state,
    effect: action.effect,
    event: 'VERIFIED',
    actor: null,
    attempts: [],
    note: verification.reason,
    verification,
    verifyInMs: null,
  });
  return written ?? observed;
}

/** As `verify`, within the time that somebody waits for the answer of a confirm. Never throws: the job is there. */
export async function verifyInLine(ports: VerifyPorts, observed: Observed): Promise<Observed> {
  try {
    return await verify(ports, observed, AbortSignal.timeout(inLineMs));
  } catch (error) {
    ports.log.warn({ action_id: observed.action.id, err: error }, 'a verification was left to the job');
    return observed;
  }
}

async function judge(
  ports: VerifyPorts,
  { action, at }: Observed,
  signal?: AbortSignal,
): Promise<Verification | undefined> {
  const check = ports.catalog.find(action.tool)?.verify;
  const unverified = (reason: string): Verification => ({ state: 'UNVERIFIED', reason, at });
  if (!check) return unverified('The tool is not declared with a verification any more.');
  if (ports.catalog.find(check.read) === undefined) return unverified(`${check.read} is not declared any more.`);
  const checked = await readCheck(ports, check, action, signal);
  if (signal?.aborted) return undefined;
  switch (checked.kind) {
    case 'met':
      return { state: 'VERIFIED', reason: `${check.read} answers that ${check.expect.text}.`, at };
    case 'unmet':
      return unverified(checked.message);
    case 'refused':
      return unverified(`${check.read} answers: ${checked.message}`);
    case 'unknown':
      return unverified(`It could not be looked at: ${checked.error.message}`);
  }
}

/** Makes the verifications that no confirm has made. Returns how many. */
export async function sweepVerifications(ports: VerifyPorts): Promise<number> {
  const due = await ports.store.takeDueVerifications(20, takenMs);
  await allAtOnce(due, async (observed) => {
    await verify(ports, observed);
  });
  return due.length;
}
