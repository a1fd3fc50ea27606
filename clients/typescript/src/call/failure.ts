import { Code, ConnectError } from '@connectrpc/connect';
import { ActionableErrorSchema } from '@tether/proto/clients/tether/v1/error_pb.ts';
import { type ActionableError, type Alternative, TetherError } from '../tether-error.ts';
import { errorFromWire } from '../wire/error.ts';
import { whyNeverSent } from './never-sent.ts';

const requestIdHeader = 'x-request-id';

/** What is known of a call before it is made, for when it fails. */
export interface Stakes {
  /** It only reads, so that whatever becomes of it leaves nothing behind. */
  readonly reads: boolean;
  /** The reads that tell whoever lost an answer. */
  readonly findOut: readonly Alternative[];
}

/** What a failed try of a call was. */
export function failureOf(thrown: unknown, stakes: Stakes): TetherError {
  if (thrown instanceof TetherError) return thrown;
  const reason = ConnectError.from(thrown);
  const requestId = reason.metadata.get(requestIdHeader) ?? undefined;
  const [detail] = reason.findDetails(ActionableErrorSchema);
  if (detail !== undefined) {
    const circumstances = { status: statusWord(reason.code), answered: true, requestId };
    return new TetherError(errorFromWire(detail), circumstances, { cause: reason });
  }
  const neverSent = whyNeverSent(thrown);
  const status = neverSent === undefined ? statusWord(reason.code) : 'UNAVAILABLE';
  const error = neverSent === undefined ? unanswered(reason, status, stakes) : unsent(neverSent);
  return new TetherError(error, { status, answered: false, requestId }, { cause: reason });
}

/** The caller's own signal ended it; `sent` when something was on its way by then. */
export function canceled(signal: AbortSignal, sent: boolean, { reads, findOut }: Stakes): TetherError {
  const timedOut = signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
  const code = timedOut ? 'DEADLINE_EXCEEDED' : 'CANCELED';
  const what = timedOut ? 'The time was over' : 'The call was given up';
  const message = `${what} before ${sent ? `there was an answer. ${reads ? onlyReads : doubt}` : 'anything was done.'}`;
  const error: ActionableError = {
    ...{ code, message, effect: sent && !reads ? 'UNKNOWN' : 'NONE', retryable: true },
    ...{ accepted: [], alternatives: findOut },
  };
  return new TetherError(error, { status: code, answered: false }, { cause: signal.reason });
}

const doubt = 'Nobody here can know what it left behind; read with get before it is made again.';
const onlyReads = 'The call only reads, so it left nothing behind.';

/** The library's own words for a request that it could not write: nothing was sent. */
const unwritable = /^serialize \w+: /;

function unanswered(reason: ConnectError, status: string, { reads, findOut }: Stakes): ActionableError {
  if (reason.code === Code.Internal && unwritable.test(reason.rawMessage)) {
    const message = `The request cannot be written: ${reason.rawMessage.replace(unwritable, '')}. Nothing was sent.`;
    return { code: 'INVALID_REQUEST', message, effect: 'NONE', retryable: false, accepted: [], alternatives: [] };
  }
  return {
    code: status,
    message: `No answer came from Tether (${status}: ${reason.rawMessage}). ${reads ? onlyReads : doubt}`,
    effect: reads ? 'NONE' : 'UNKNOWN',
    retryable: !final.has(reason.code),
    accepted: [],
    alternatives: findOut,
  };
}

/** Nobody was reached. */
function unsent(why: string): ActionableError {
  const message = `The call could not be sent (${why}): nothing was recorded and nothing ran.`;
  return { code: 'UNAVAILABLE', message, effect: 'NONE', retryable: true, accepted: [], alternatives: [] };
}

/** Statuses that an identical repeat would meet again, whoever said them. */
const final: ReadonlySet<Code> = new Set([
  Code.InvalidArgument,
  Code.NotFound,
  Code.AlreadyExists,
  Code.PermissionDenied,
  Code.FailedPrecondition,
  Code.OutOfRange,
  Code.Unimplemented,
  Code.Unauthenticated,
]);

/** As gRPC spells it: `DEADLINE_EXCEEDED`. The library's names are `DeadlineExceeded`. */
function statusWord(code: Code): string {
  return (Code[code] ?? 'Unknown').replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}
