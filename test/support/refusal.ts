import { type ActionableError, CallError } from '../../server/domain/error.ts';

/** The error with which a call is refused; throws when it is not, or fails in another way. */
export async function refusal(call: Promise<unknown>): Promise<ActionableError> {
  const error = await call.then(
    () => new Error('the call was not refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof CallError) return error.detail;
  throw error;
}
