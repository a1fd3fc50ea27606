import type { Outcome, ProbeOutcome } from './outcome.ts';

/** A call that was answered, for a log. */
export interface Answered {
  /** Undefined for what was turned away before it was read. */
  readonly tool?: string;
  readonly mode?: 'read' | 'execute' | 'probe';
  readonly requestId?: string;
  readonly attempt?: number;
  /**
   * `replayed`: a repeat that got what came of it the first time. `unsigned`, `malformed`: turned away. The rest is the outcome
   * of a call, or what a probe was told.
   */
  readonly outcome: Outcome['kind'] | ProbeOutcome['kind'] | 'replayed' | 'unsigned' | 'malformed';
  /** What was refused, was turned away, or failed; of what failed nobody else gets to know. */
  readonly error?: unknown;
}

export type OnAnswered = (answered: Answered) => void;

/** Where nothing else is asked for: what failed and what was not signed goes to the console. */
export const logTrouble: OnAnswered = ({ tool = 'a call', requestId = '-', outcome, error }) => {
  if (outcome === 'failed') console.error(`@tether/endpoint: ${tool} (request ${requestId}) failed:`, error);
  if (outcome === 'unsigned') console.warn(`@tether/endpoint: a call was turned away: ${messageOf(error)}`);
};

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A log that fails must not change an answer: what it was about may be committed. */
export function safely(tell: OnAnswered): OnAnswered {
  return (answered) => {
    try {
      tell(answered);
    } catch (error) {
      console.error('@tether/endpoint: onAnswered failed:', error);
    }
  };
}
