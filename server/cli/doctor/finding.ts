export type Status = 'ok' | 'warn' | 'fail';

/** What the doctor saw, and what to do about it. */
export interface Finding {
  /** What was looked at; the names stay, for programs that look for one. */
  readonly check: string;
  readonly status: Status;
  readonly message: string;
  /** What to do; null when there is nothing to do. */
  readonly advice: string | null;
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message, advice: null });

/** It works, and somebody should know about it. */
export const warn = (check: string, message: string, advice: string): Finding => ({
  check,
  status: 'warn',
  message,
  advice,
});

/** It does not work, or promises something that it does not keep. */
export const fail = (check: string, message: string, advice: string): Finding => ({
  check,
  status: 'fail',
  message,
  advice,
});

export function worst(findings: readonly Finding[]): Status {
  if (findings.some(({ status }) => status === 'fail')) return 'fail';
  return findings.some(({ status }) => status === 'warn') ? 'warn' : 'ok';
}

/** The driver's or the system's own words, which are for the operator alone. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node tells of several addresses that all failed without any words of its own.
  return error.message || ('code' in error ? String(error.code) : error.name);
}
