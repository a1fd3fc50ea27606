import type { Effect } from './effect.ts';

/** What can be done about an error: an RPC of Tether, in lower snake case. */
export type Move =
  | 'amend'
  | 'call'
  | 'confirm'
  | 'create'
  | 'get'
  | 'list'
  | 'list_deliveries'
  | 'list_stops'
  | 'probe_now'
  | 'reject'
  | 'resolve'
  | 'rotate'
  | 'stage'
  | 'watch';

/** One code, and its answers to the two questions that every error answers (DESIGN §3.1). */
export interface CatalogedError {
  /** When it is said. */
  readonly when: string;
  /** What was left behind; `told` where each error says so itself. */
  readonly effect: Effect | 'told';
  /** Whether an identical repeat could ever succeed; `told` where each error says so itself. */
  readonly retryable: boolean | 'told';
  /** The moves that can stand in its alternatives; a vendor's and an authorizer's own come beside them. */
  readonly moves: readonly Move[];
}

/**
 * Codes with which a call is refused: it recorded and ran nothing, unless its effect says otherwise (DESIGN §3). The effect is
 * that of the call; an action that is in doubt from before says so in its own. docs/errors.md is made from this table.
 */
export const callErrors = {
  ACTION_NOT_FOUND: {
    when: 'no such action; another tenant’s or scope’s; another agent’s; for a confirm also: expired',
    effect: 'NONE',
    retryable: false,
    moves: ['get', 'stage'],
  },
  CONFIRM_IN_FLIGHT: {
    when: 'another confirm of the action is under way; `retry_after` says how long at most',
    effect: 'NONE',
    retryable: true,
    moves: ['get'],
  },
  IDEMPOTENCY_KEY_REUSED: {
    when: 'an `idempotency_key` or `request_id` was used for something else: take a new one',
    effect: 'NONE',
    retryable: false,
    moves: ['amend', 'confirm', 'get', 'stage'],
  },
  RISK_ACKNOWLEDGEMENT_REQUIRED: {
    when: 'the risk, or a value at its threshold or unreadable, has to be acknowledged: `acknowledge_high_risk`',
    effect: 'NONE',
    retryable: false,
    moves: ['confirm'],
  },
  PREVIEW_DIGEST_MISMATCH: {
    when: 'what was shown is not what would run: show the action as it is',
    effect: 'NONE',
    retryable: false,
    moves: ['get'],
  },
  INTENT_HELD: {
    when: 'another action is the same wish already, with other arguments, or the same that an amendment asks for',
    effect: 'NONE',
    retryable: false,
    moves: ['amend', 'get'],
  },
  SECOND_PERSON_REQUIRED: {
    when: 'the tool takes four eyes, and the approver proposed or amended it, or it is on their behalf',
    effect: 'NONE',
    retryable: false,
    moves: ['get'],
  },
  ACTION_SETTLED: {
    when: 'it has ended, or the person’s decision is another than the one that stands: read why',
    effect: 'NONE',
    retryable: false,
    moves: ['get', 'stage'],
  },
  NOT_IN_DOUBT: {
    when: 'there is nothing about the action to resolve or to ask the endpoint',
    effect: 'NONE',
    retryable: false,
    moves: ['get'],
  },
  OUTCOME_INDETERMINATE: {
    when: 'an earlier attempt is in doubt, and the call needs it acknowledged, settled, or looked at later',
    effect: 'NONE',
    retryable: false,
    moves: ['confirm', 'get', 'probe_now', 'reject', 'resolve'],
  },
  PRECONDITION_NOT_MET: {
    when: 'the read that the write’s precondition names says no: nothing is staged',
    effect: 'NONE',
    retryable: false,
    moves: ['call'],
  },
  PRECONDITION_UNKNOWN: {
    when: 'that read gave no answer',
    effect: 'NONE',
    retryable: true,
    moves: ['get'],
  },
  INVALID_ARGUMENTS: {
    when: 'the arguments do not fit the tool’s schema, or cannot travel safely: correct `field`',
    effect: 'NONE',
    retryable: false,
    moves: ['amend', 'call', 'reject', 'stage'],
  },
  INVALID_REQUEST: {
    when: 'a field of the request itself, or what it asks of this action, makes no sense: correct `field`',
    effect: 'NONE',
    retryable: false,
    moves: ['call', 'get', 'reject', 'stage'],
  },
  INVALID_CURSOR: {
    when: 'the cursor was not handed out by this call: begin anew',
    effect: 'NONE',
    retryable: false,
    moves: [],
  },
  TOOL_NOT_FOUND: {
    when: 'no such tool is declared, or not as a write any more; the nearest names are in `accepted`',
    effect: 'NONE',
    retryable: false,
    moves: ['call', 'reject', 'stage'],
  },
  CREDENTIAL_NOT_FOUND: {
    when: 'the tenant has no such credential',
    effect: 'NONE',
    retryable: false,
    moves: [],
  },
  LAST_OPERATOR: {
    when: 'without this credential the tenant would have no operator that can manage its credentials: rotate it, or make another first',
    effect: 'NONE',
    retryable: false,
    moves: ['create', 'rotate'],
  },
  DELIVERY_NOT_FOUND: {
    when: 'the tenant has no dead message of that id to a webhook',
    effect: 'NONE',
    retryable: false,
    moves: ['list_deliveries'],
  },
  UNAUTHENTICATED: {
    when: 'no credential, or one that is unknown or no longer good: send `Authorization: Bearer <key>`, with a key or a token',
    effect: 'NONE',
    retryable: false,
    moves: [],
  },
  PERMISSION_DENIED: {
    when: 'the credential’s role, or its scopes, do not allow it',
    effect: 'NONE',
    retryable: false,
    moves: [],
  },
  RATE_LIMITED: {
    when: 'more calls than the credential may make in a second, more streams than it may have open, or too many credentials from one address that do not count; `retry_after` says when',
    effect: 'NONE',
    retryable: true,
    moves: [],
  },
  AUTHORIZER_DENIED: {
    when: 'the authorizer said no, with its reason; the action stays PENDING',
    effect: 'NONE',
    retryable: false,
    moves: ['get'],
  },
  AUTHORIZER_UNAVAILABLE: {
    when: 'the authorizer gave no answer, and without one nothing is confirmed',
    effect: 'NONE',
    retryable: true,
    moves: ['get'],
  },
  TOOL_UNAVAILABLE: {
    when: 'a read failed, after its retries; or the endpoint takes no more calls at the moment',
    effect: 'NONE',
    retryable: 'told',
    moves: ['confirm'],
  },
  RESPONSE_TOO_LARGE: {
    when: 'a read’s answer is larger than the endpoint may send; none of it is told',
    effect: 'NONE',
    retryable: false,
    moves: [],
  },
  RESPONSE_INVALID: {
    when: 'a read’s answer is not JSON',
    effect: 'NONE',
    retryable: false,
    moves: [],
  },
  STOPPED: {
    when: 'an operator stopped the tool, its endpoint or the tenant; the message says why and since when',
    effect: 'NONE',
    retryable: true,
    moves: ['get'],
  },
  INTERNAL: {
    when: 'our own fault; the log has it under the request’s id',
    effect: 'told',
    retryable: false,
    moves: ['call', 'get', 'list', 'list_deliveries', 'list_stops', 'stage'],
  },
  UNAVAILABLE: {
    when: 'the database, or the keys of a token’s issuer, cannot be reached; or the server is stopping',
    effect: 'told',
    retryable: 'told',
    moves: ['call', 'get', 'list', 'list_deliveries', 'list_stops', 'stage', 'watch'],
  },
} as const satisfies Record<string, CatalogedError>;

/** Codes of recorded outcomes: of an attempt, or of an action that ended without one. A vendor's own codes come beside them. */
export const outcomeErrors = {
  EXECUTION_FAILED_RETRYABLE: {
    when: 'the attempt failed and the action is PENDING again; the message says how many of three are used',
    effect: 'told',
    retryable: 'told',
    moves: ['get', 'stage'],
  },
  EXECUTION_FAILED: {
    when: 'no attempt is left',
    effect: 'told',
    retryable: false,
    moves: ['get', 'stage'],
  },
  OUTCOME_INDETERMINATE: {
    when: 'no answer decided what came of an attempt',
    effect: 'UNKNOWN',
    retryable: false,
    moves: ['get'],
  },
  REFUSED: {
    when: 'the endpoint refused the write without a code of its own',
    effect: 'told',
    retryable: false,
    moves: ['get', 'stage'],
  },
  ACTION_EXPIRED: {
    when: 'nobody confirmed it in time',
    effect: 'told',
    retryable: false,
    moves: ['get', 'stage'],
  },
  ACTION_REJECTED: {
    when: 'a person rejected it, with a reason',
    effect: 'told',
    retryable: false,
    moves: ['stage'],
  },
  ACTION_SUPERSEDED: {
    when: 'a person amended it; another action stands in its place',
    effect: 'told',
    retryable: false,
    moves: ['get'],
  },
  PRECONDITION_FAILED: {
    when: 'the world changed while it waited, so it was not executed; the message says what changed',
    effect: 'told',
    retryable: false,
    moves: ['get', 'stage'],
  },
} as const satisfies Record<string, CatalogedError>;
