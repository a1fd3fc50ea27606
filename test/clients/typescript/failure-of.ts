import { TetherError } from '@tether/client';

/** What a call that must fail failed with. */
export async function failureOf(call: Promise<unknown>): Promise<TetherError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof TetherError) return error;
  throw new Error('it did not fail with a TetherError', { cause: error });
}
