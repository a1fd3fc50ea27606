import type { Answer } from './contract/answer.ts';
import type { Call } from './contract/call.ts';
import type { Settings } from './settings/settings.ts';
import type { How, Vendor } from './vendor.ts';

/** One side of the contract, and how it is tried. What stands here is also its entry in docs/endpoint-check.md. */
export interface Check {
  readonly id: string;
  readonly sends: string;
  readonly expects: string;
  readonly why: string;
  readonly mend: string;
  /** Options without which there is nothing to check. */
  readonly with?: string;
  /** Checks without which this one would only say the same again; skipped when they failed. */
  readonly needs: readonly string[];
  run(trial: Trial): Promise<Verdict>;
}

export type Verdict =
  | { readonly outcome: 'passed'; readonly why?: string }
  | { readonly outcome: 'failed' | 'skipped' | 'warned'; readonly why: string };

/** What a check has at hand. */
export interface Trial {
  readonly settings: Settings;
  readonly vendor: Vendor;
  /** A write under a key of its own, with arguments of its own. */
  newWrite(more?: Partial<Call>): Call;
  newRead(tool: string, args: string): Call;
  send(call: Call, how?: How): Promise<Answer>;
  probe(call: Call, attempt?: number): Promise<Answer>;
  /** Nothing was done with its arguments: another write may have them. */
  notDone(call: Call): void;
  /** How many writes there were, as the counting read tells it; undefined without one. */
  count(): Promise<number | undefined>;
  /** Waits; for what an endpoint does by itself. */
  pause(ms: number): Promise<void>;
}

/** The contract is not kept: the message says how. */
export class NotKept extends Error {}

export const passed = (why?: string): Verdict => ({ outcome: 'passed', ...(why && { why }) });
export const failed = (why: string): Verdict => ({ outcome: 'failed', why });
export const warned = (why: string): Verdict => ({ outcome: 'warned', why });
export const skipped = (why: string): Verdict => ({ outcome: 'skipped', why });

/** The result, as the text that it was. @throws NotKept when it is anything else. */
export function resultOf(answer: Answer, what: string): string {
  if (answer.kind === 'result') return answer.json;
  throw new NotKept(`${what} was to be answered with a result, and ${saidOf(answer)}.`);
}

/** @throws NotKept when it is not a clear "nothing was done". */
export function assertNothingDone(answer: Answer, what: string): void {
  if (answer.kind === 'turned-away') return;
  if (answer.kind === 'refused' && answer.refusal.effect === 'none') return;
  throw new NotKept(`${what} was to be turned away, and ${saidOf(answer)}.`);
}

export async function assertNoEffect(
  trial: Trial,
  call: Call,
  before: number | undefined,
  what: string,
): Promise<void> {
  const after = await trial.count();
  if (after !== before)
    throw new NotKept(`${what} was turned away and carried out all the same: ${before} writes before, ${after} after.`);
  if (!trial.settings.probe) return trial.notDone(call);
  const answer = await trial.probe(call);
  if (answer.kind === 'probed' && answer.disposition === 'executed') {
    throw new NotKept(`${what} was turned away, and a probe says that it was executed.`);
  }
  trial.notDone(call);
}

/** What an answer means, in the middle of a sentence. */
export function saidOf(answer: Answer): string {
  switch (answer.kind) {
    case 'result':
      return 'it was answered with a result';
    case 'refused':
      return `it was refused for good (${answer.status}, ${answer.refusal.code ?? 'no code'})`;
    case 'turned-away':
      return `it was turned away (${answer.status})`;
    case 'failed':
      return `it failed (${answer.status}), which leaves open what was done`;
    case 'probed':
      return `a probe said ${answer.disposition}`;
    case 'unreadable':
      return `the answer cannot be read (${answer.status}): ${answer.why}`;
    case 'lost':
      return answer.why;
  }
}
