import { Code, ConnectError } from '@connectrpc/connect';
import { ActionableErrorSchema } from '@tether/proto/clients/tether/v1/error_pb.ts';
import { type ActionableError, type Alternative, TetherError } from '../tether-error.ts';
import { errorFromWire } from '../wire/error.ts';

const requestIdHeader = 'x-request-id';

/** What a failed try of a call was: `findOut` are the reads that tell whoever lost an answer. */
export function failureOf(thrown: unknown, findOut: readonly Alternative[]): TetherError {
  if (thrown instanceof TetherError) return thrown;
  const reason = ConnectError.from(thrown);
  const requestId = reason.metadata.get(requestIdHeader) ?? undefined;
  const status = statusWord(reason.code);
  const [detail] = reason.findDetails(ActionableErrorSchema);
  const error = detail === undefined ? unanswered(reason, status, findOut) : errorFromWire(detail);
  return new TetherError(error, { status, answered: detail !== undefined, requestId }, { cause: reason });
}

/** The caller's own signal ended it; `sent` when something that counts was on its way by then. */
export function canceled(signal: AbortSignal, sent: boolean, findOut: readonly Alternative[]): TetherError {
  const timedOut = signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
  const code = timedOut ? 'DEADLINE_EXCEEDED' : 'CANCELED';
  const what = timedOut ? 'The time was over' : 'The call was given up';
  const message = `${what} before ${sent ? `there was an answer. ${doubt}` : 'anything was done.'}`;
  const error: ActionableError = {
    ...{ code, message, effect: sent ? 'UNKNOWN' : 'NONE', retryable: true },
    ...{ accepted: [], alternatives: findOut },
  };
  return new TetherError(error, { status: code, answered: false }, { cause: signal.reason });
}

const doubt = 'Nobody here can know what it left behind; read with get before it is made again.';

/** The library's own words for a request that it could not write: nothing was sent. */
const unwritable = /^serialize \w+: /;

function unanswered(reason: ConnectError, status: string, findOut: readonly Alternative[]): ActionableError {
  if (reason.code === Code.Internal && unwritable.test(reason.rawMessage)) {
    const message = `The request cannot be written: ${reason.rawMessage.replace(unwritable, '')}. Nothing was sent.`;
    return { code: 'INVALID_REQUEST', message, effect: 'NONE', retryable: false, accepted: [], alternatives: [] };
  }
  return {
    code: status,
    message: `No answer came from Tether (${status}: ${reason.rawMessage}). ${doubt}`,
    effect: 'UNKNOWN',
    retryable: !final.has(reason.code),
    accepted: [],
    alternatives: findOut,
  };
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
