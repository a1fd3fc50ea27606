/** What is open to the caller instead. */
export interface Alternative {
  /** What to do, in lower_snake_case. */
  readonly action: string;
  /** The tool to call, if that is the move. */
  readonly tool?: string;
  /** Ready to send. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** The move in a sentence. */
  readonly description?: string;
  /** Whatever else helps. */
  readonly [extra: string]: unknown;
}

/** Why a call is refused, said so that the next one can be computed from it. */
export interface Reason {
  /** A stable name, like `amount_exceeds_paid`. */
  readonly code: string;
  /** The violated condition, the offending value and the boundary, in a sentence or two. */
  readonly message: string;
  /** The argument at fault: its name, or a JSON Pointer when it is nested. */
  readonly field?: string;
  readonly received?: unknown;
  readonly limit?: unknown;
  readonly accepted?: readonly unknown[];
  /** What was left behind all the same, outside of the transaction; `none` if left out. */
  readonly effect?: 'none' | 'unknown' | 'applied';
  /** Whether the same call could succeed later; `false` if left out. */
  readonly retryable?: boolean;
  readonly retryAfterSeconds?: number;
  /** Best first. */
  readonly alternatives?: readonly Alternative[];
}

/** Made by `refuse`; thrown by a handler. */
export class Refusal extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason.message);
    this.name = 'Refusal';
    this.reason = reason;
  }
}

/**
 * A handler's no: `throw refuse({ code: 'ticket_not_open', message: 'Ticket T-1 is paid; only an open one can be voided.' })`. It is
 * a normal answer, which the model reads and explains. Of a write, all that its transaction did is rolled back.
 *
 * @throws TypeError without a code or a message: Tether would take the answer for a success.
 */
export function refuse(reason: Reason): Refusal {
  if (!isText(reason.code) || !isText(reason.message)) {
    throw new TypeError('refuse: `code` and `message` must be texts that are not empty');
  }
  return new Refusal(reason);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
