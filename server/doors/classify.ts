import { Code } from '@connectrpc/connect';
import type { ActionableError, Alternative, CallErrorCode } from '../domain/error.ts';
import { CallError } from '../domain/error.ts';
import { StoreUnavailable } from '../lifecycle/ports/store-unavailable.ts';
import { CallerGone } from './caller-gone.ts';
import { Failure, statusOf } from './failure.ts';
import { clip, fitDetail } from './fit-detail.ts';

/** What is known of a call when something is thrown out of it. */
export interface Circumstances {
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** What a failure that nobody foresaw may have left behind: UNKNOWN once something with side effects has begun. */
  readonly effect: 'NONE' | 'UNKNOWN';
  /** How the caller finds out, when it is UNKNOWN. */
  readonly waysToFindOut: readonly Alternative[];
}

/**
 * Turns anything thrown into what the caller is told. Nothing but a CallError's own words passes: driver, stack and network
 * text stay in the log (DESIGN §3.1). An abort counts as the caller's only if it is the caller's: any other is our fault.
 */
export function classify(thrown: unknown, circumstances: Circumstances): Failure {
  if (thrown instanceof CallError) return failure(thrown.code, thrown.detail, thrown);
  if (thrown instanceof StoreUnavailable) return failure('UNAVAILABLE', storeAway(thrown, circumstances), thrown);
  const { signal } = circumstances;
  if (signal.aborted && (thrown === signal.reason || isAbort(thrown))) return gone(signal.reason, circumstances);
  return failure('INTERNAL', ourFault(circumstances), thrown);
}

function failure(code: CallErrorCode, detail: ActionableError, cause: unknown): Failure {
  const fitted = fitDetail(detail);
  return new Failure(statusOf[code], fitted.message, fitted, { cause });
}

function isAbort(thrown: unknown): boolean {
  return thrown instanceof CallerGone || (thrown instanceof Error && thrown.name === 'AbortError');
}

/** No detail: the caller left before there was an answer, and cannot know (DESIGN §3). */
function gone(reason: unknown, { effect }: Circumstances): Failure {
  const next = effect === 'NONE' ? '' : ' It may have taken effect all the same: read with Get.';
  if (reason instanceof CallerGone && reason.why === 'deadline')
    return new Failure(Code.DeadlineExceeded, `The call's deadline passed before there was an answer.${next}`);
  return new Failure(Code.Canceled, clip(`The caller cancelled the call before there was an answer.${next}`));
}

/** A read, or a write that certainly was not committed, left nothing behind; once a write went out, nobody can know. */
function storeAway(
  { mayHaveCommitted }: StoreUnavailable,
  { effect, waysToFindOut, requestId }: Circumstances,
): ActionableError {
  const doubt = mayHaveCommitted && effect === 'UNKNOWN';
  const what = doubt
    ? 'It cannot be known from here whether this call recorded anything: read before anything is repeated.'
    : 'Nothing was recorded and nothing ran.';
  return {
    code: 'UNAVAILABLE',
    message: `The database cannot be reached. ${what} (Request id ${requestId}.)`,
    effect: doubt ? 'UNKNOWN' : 'NONE',
    retryable: true,
    alternatives: doubt ? waysToFindOut : [],
  };
}

function ourFault({ effect, waysToFindOut, requestId }: Circumstances): ActionableError {
  const what = effect === 'NONE' ? '' : ' It cannot be known from here what this call left behind: read first.';
  return {
    code: 'INTERNAL',
    message: `Tether itself failed in this call. Say request id ${requestId} to the operator, who finds the reason in the log.${what}`,
    effect,
    retryable: false,
    alternatives: effect === 'NONE' ? [] : waysToFindOut,
  };
}
