import { CallError } from '../domain/error.ts';

const scheme = /^bearer +(\S+) *$/i;

/** The key out of `authorization: Bearer <key>`; throws UNAUTHENTICATED, and never repeats what was sent. */
export function bearerCredential(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') throw unauthenticated('This call carries no credential.');
  const credential = scheme.exec(authorization)?.[1];
  if (credential === undefined) throw unauthenticated('The authorization header is not of the form `Bearer <key>`.');
  return credential;
}

/** The same for every credential that does not count: why one is refused is nobody's business. */
export function unauthenticated(what = 'This credential is not known, or no longer good.'): CallError {
  return new CallError('UNAUTHENTICATED', {
    message: `${what} Send the header "authorization: Bearer <key>" with a key of this server.`,
    field: 'authorization',
  });
}
