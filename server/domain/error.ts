import type { Effect } from './effect.ts';
import { type CatalogedError, callErrors, outcomeErrors } from './error-catalog.ts';

/** A move that is open to whoever reads the error. */
export interface Alternative {
  /** lower_snake_case: an RPC of Tether, or a vendor's own word. */
  readonly action: string;
  readonly tool?: string;
  /** JSON text. */
  readonly argumentsJson?: string;
  readonly description?: string;
  /** Whatever else a vendor said: a JSON object as text. */
  readonly extraJson?: string;
}

/**
 * What went wrong, said so that the next call can be computed from it (DESIGN §3.1). Plain data: it is stored as JSON
 * beside attempts, and mapped for the wire in one place.
 */
export interface ActionableError {
  readonly code: string;
  readonly message: string;
  /** The argument's name, or a JSON Pointer when nested. */
  readonly field?: string;
  /** JSON text. */
  readonly receivedJson?: string;
  /** JSON text. */
  readonly limitJson?: string;
  /** Each JSON text. */
  readonly acceptedJson?: readonly string[];
  readonly effect: Effect;
  /** Could an identical repeat ever succeed? */
  readonly retryable: boolean;
  readonly retryAfterSeconds?: number;
  readonly alternatives?: readonly Alternative[];
}

export type CallErrorCode = keyof typeof callErrors;
export const callErrorCodes = Object.keys(callErrors) as readonly CallErrorCode[];
export const outcomeErrorCodes = Object.keys(outcomeErrors) as readonly (keyof typeof outcomeErrors)[];

type Said = Omit<ActionableError, 'code' | 'effect' | 'retryable'>;

/** What is said beside a code: its answer to either question only where the catalog leaves that to the error. */
type Detail<C extends CallErrorCode> = C extends CallErrorCode
  ? Said &
      ((typeof callErrors)[C]['effect'] extends 'told'
        ? { /** NONE when it is not said. */ readonly effect?: Effect }
        : object) &
      ((typeof callErrors)[C]['retryable'] extends 'told' ? Pick<ActionableError, 'retryable'> : object)
  : never;

/** A call that is refused, as a value to throw: the doors map it for the wire, and nothing else is ever told a caller. */
export class CallError<C extends CallErrorCode = CallErrorCode> extends Error {
  readonly code: CallErrorCode;
  readonly detail: ActionableError;

  constructor(code: C, detail: Detail<C>, options?: ErrorOptions) {
    super(`${code}: ${detail.message}`, options);
    this.name = 'CallError';
    this.code = code;
    const said: Said & Partial<Pick<ActionableError, 'effect' | 'retryable'>> = detail;
    const { effect, retryable }: CatalogedError = callErrors[code];
    this.detail = {
      ...said,
      code,
      effect: effect === 'told' ? (said.effect ?? 'NONE') : effect,
      retryable: retryable === 'told' ? (said.retryable ?? false) : retryable,
    };
  }
}
