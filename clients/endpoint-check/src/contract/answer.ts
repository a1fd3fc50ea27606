/** What an endpoint's answer says, read as Tether reads it (docs/endpoint.md), in the words of no transport. */
export type Answer = Said & {
  /** The status in the words of its transport, for a report: `HTTP 425`, `gRPC ABORTED`. */
  readonly status: string;
  /** All that it said, for a report and for whoever looks for what should not be in it. */
  readonly text: string;
  /** Length of what counts against the cap. */
  readonly bytes: number;
};

export type Said =
  /** JSON text as it was sent. */
  | { readonly kind: 'result'; readonly json: string }
  /** A final no. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** Nothing was done; `again`: and the same may be confirmed again. */
  | { readonly kind: 'turned-away'; readonly again: boolean; readonly unauthenticated: boolean }
  /** 5xx and its like: what was done is not known. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'probed'; readonly disposition: Disposition; readonly result?: string }
  /** An answer that tells nothing. */
  | { readonly kind: 'unreadable'; readonly why: string }
  /** No answer, or not all of it. */
  | { readonly kind: 'lost'; readonly why: string };

export type Disposition = 'executed' | 'not_executed' | 'in_progress' | 'unknown';

export interface Refusal {
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly effect: 'none' | 'unknown' | 'applied';
}
