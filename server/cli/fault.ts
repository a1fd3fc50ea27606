import type { Output } from './output.ts';

/** Why a command did not do what it was called for. A refusal of the server's, as a client tells it, is one too. */
export interface Fault {
  /** A code of docs/errors.md; or INVALID_USAGE, INVALID_SETTINGS, REFUSED, UNAVAILABLE, said by the command itself. */
  readonly code: string;
  readonly message: string;
  /** What the command left behind. */
  readonly effect: 'NONE' | 'APPLIED' | 'UNKNOWN' | 'UNSPECIFIED';
  /** Whether the same command could ever succeed. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
}

/** How a command writes: for people; as one JSON object, over several lines; or as lines, each a JSON object. */
export type Form = 'text' | 'json' | 'lines';

/**
 * The one way in which a command says what went wrong. For people on stderr, and `text` are the words; for programs as one object
 * where they read everything else: `{"error": {"code", "message", "effect", "retryable", "retry_after_ms"}}`.
 */
export function sayFault(fault: Fault, form: Form, output: Output, text: string = fault.message): void {
  if (form === 'text') output.err(`${text}\n`);
  else output.out(`${JSON.stringify({ error: faultJson(fault) }, null, form === 'json' ? 2 : 0)}\n`);
}

/** The contract's names; what is not there is null. */
export function faultJson({ code, message, effect, retryable, retryAfterMs }: Fault): object {
  return { code, message, effect, retryable, retry_after_ms: retryAfterMs ?? null };
}

/** What the command itself found before it did anything. */
export function notDone(code: 'INVALID_USAGE' | 'INVALID_SETTINGS' | 'REFUSED', message: string): Fault {
  return { code, message, effect: 'NONE', retryable: false };
}
