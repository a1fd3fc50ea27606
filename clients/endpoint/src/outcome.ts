import type { RefusalRecord } from './refusal-record.ts';

/** What came of a call, before a transport has words for it. */
export type Outcome =
  /** `json` is sent as it is; `replayed` when an earlier call had made the change. */
  | { readonly kind: 'result'; readonly json: string; readonly replayed: boolean }
  | { readonly kind: 'refused'; readonly refusal: RefusalRecord; readonly replayed: boolean }
  /** Nothing was wrong with the call but the time, and nothing was done. */
  | { readonly kind: 'late'; readonly code: 'past_deadline' | 'attempt_withdrawn'; readonly message: string }
  /** What was done before it failed is not known; what failed is nobody's business but the vendor's. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** What is answered to a probe. */
export type ProbeOutcome =
  /** `result` is the JSON text that was sent the first time, or would have been. */
  | { readonly kind: 'executed'; readonly result: string }
  /** A promise: neither this attempt nor an earlier one will ever be applied. */
  | { readonly kind: 'not_executed'; readonly refusal?: RefusalRecord }
  | { readonly kind: 'in_progress' | 'unknown' }
  | { readonly kind: 'failed'; readonly error: unknown };
