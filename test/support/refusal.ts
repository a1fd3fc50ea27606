import { type ActionableError, CallError } from '../../server/domain/error.ts';
import { callErrors } from '../../server/domain/error-catalog.ts';

/** The error with which a call is refused; throws when it is not, fails in another way, or says what the catalog does not know. */
export async function refusal(call: Promise<unknown>): Promise<ActionableError> {
  const error = await call.then(
    () => new Error('the call was not refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof CallError)) throw error;
  const moves = unknownMoves(error);
  if (moves.length > 0)
    throw new Error(`${error.code} offers ${moves}, which the catalog does not know`, { cause: error });
  return error.detail;
}

/** The moves that a refusal offers and that the catalog of errors, and so docs/errors.md, does not list for its code. */
function unknownMoves({ code, detail }: CallError): string[] {
  // The authorizer's and the endpoint's own moves come beside ours.
  if (code === 'AUTHORIZER_DENIED' || code === 'TOOL_UNAVAILABLE') return [];
  const known: readonly string[] = callErrors[code].moves;
  return (detail.alternatives ?? []).map(({ action }) => action).filter((move) => !known.includes(move));
}
