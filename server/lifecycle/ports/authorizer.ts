/** Who else is asked before a confirm. Implemented by dispatch. */
import type { Actor, Observed } from '../../domain/action.ts';
import type { ActionableError } from '../../domain/error.ts';

/** Asked before a confirm runs anything (DESIGN §2.2 step 6); no answer means no. */
export interface Authorizer {
  authorize(observed: Observed, approver: Actor, signal: AbortSignal): Promise<Authorization>;
}

export type Authorization =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied'; readonly reason: ActionableError | null }
  | { readonly kind: 'unavailable' };
