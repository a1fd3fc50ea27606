/**
 * A refusal as it is kept in the ledger and put on the wire: every value as JSON text, so that it is the same each time it is
 * told, over every transport.
 */
import type { Alternative, Reason } from './refusal.ts';

export interface AlternativeRecord {
  readonly action: string;
  readonly tool?: string;
  readonly argumentsJson?: string;
  readonly description?: string;
  /** A JSON object. */
  readonly extraJson?: string;
}

export interface RefusalRecord {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly receivedJson?: string;
  readonly limitJson?: string;
  readonly acceptedJson?: readonly string[];
  readonly effect: 'none' | 'unknown' | 'applied';
  readonly retryable: boolean;
  readonly retryAfterSeconds?: number;
  readonly alternatives?: readonly AlternativeRecord[];
}

/** A message that is cut is cut here, characters; Tether shows no more. */
const longestMessage = 4_000;

/**
 * Writes the values of a reason down. One that exceeds `maxBytes` as a whole keeps its code, message and field: an answer over
 * the cap would leave everybody in doubt about a write that was only refused.
 *
 * @throws TypeError for a value that is no JSON, a bigint for one.
 */
export function recordOf(reason: Reason, maxBytes: number): RefusalRecord {
  const { code, field, effect = 'none', retryable = false, retryAfterSeconds } = reason;
  const message = cut(reason.message);
  const whole: RefusalRecord = {
    code,
    message,
    field,
    receivedJson: jsonOf(reason.received),
    limitJson: jsonOf(reason.limit),
    acceptedJson: reason.accepted?.map((value) => jsonOf(value) ?? 'null'),
    effect,
    retryable,
    retryAfterSeconds,
    alternatives: reason.alternatives?.map(alternativeOf),
  };
  const fits = new TextEncoder().encode(JSON.stringify(whole)).length <= maxBytes;
  return fits ? whole : { code, message, field, effect, retryable, retryAfterSeconds };
}

function alternativeOf({ action, tool, arguments: args, description, ...extra }: Alternative): AlternativeRecord {
  const more = Object.keys(extra).length === 0 ? undefined : jsonOf(extra);
  return { action, tool, argumentsJson: jsonOf(args), description, extraJson: more };
}

function jsonOf(value: unknown): string | undefined {
  return JSON.stringify(value);
}

function cut(message: string): string {
  const whole = message.toWellFormed();
  return whole.length <= longestMessage ? whole : `${whole.slice(0, longestMessage - 1).toWellFormed()}…`;
}
