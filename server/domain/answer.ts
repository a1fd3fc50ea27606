import type { Effect } from './action.ts';
import type { ActionableError } from './error.ts';

/** What the call of a write came to, by the tables of DESIGN §4. */
export type Answer =
  /** 2xx without an error: the write was done. `result` is the text the endpoint sent. */
  | { readonly kind: 'succeeded'; readonly result: string }
  /** The endpoint refused, and says what was left behind all the same. */
  | { readonly kind: 'refused'; readonly effect: Effect; readonly error: ActionableError }
  /** It failed for certain (or was never sent); UNKNOWN when the handler may have written before it failed. */
  | { readonly kind: 'failed'; readonly effect: 'NONE' | 'UNKNOWN'; readonly error: ActionableError }
  /** It went out, and nothing that came back decides anything. */
  | { readonly kind: 'no-answer'; readonly error: ActionableError };

/** What a read came to, after its retries. A 200 with `{"error": …}` is a result: the model reads it. */
export type ReadAnswer =
  | { readonly kind: 'result'; readonly result: string; readonly attempts: number }
  | { readonly kind: 'failed'; readonly error: ActionableError; readonly attempts: number };
