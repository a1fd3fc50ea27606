import { CallError } from '../../domain/error.ts';
import { CredentialRefused, CredentialUnverifiable } from '../../lifecycle/ports/authenticator.ts';

const scheme = /^bearer +(\S+) *$/i;

/** The key or token out of `authorization: Bearer <key>`; throws UNAUTHENTICATED, and never repeats what was sent. */
export function bearerCredential(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') throw unauthenticated('This call carries no credential.');
  const credential = scheme.exec(authorization)?.[1];
  if (credential === undefined) throw unauthenticated('The authorization header is not of the form `Bearer <key>`.');
  return credential;
}

/** The same for every credential that does not count: why one is refused is nobody's business. */
export function unauthenticated(what = 'This credential is not known, or no longer good.'): CallError {
  return new CallError('UNAUTHENTICATED', {
    message: `${what} Send the header "authorization: Bearer <key>" with a key of this server, or with a token of an issuer that it trusts.`,
    field: 'authorization',
  });
}

/** Where the reason of a refusal is told, which its caller is not. */
export interface CredentialLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/**
 * What a caller is told of a credential that an authenticator did not take: that it has expired, since only who holds a genuine
 * one can hear it, and else the same for all. Anything else that was thrown comes back as it is.
 */
export function refusalOf(thrown: unknown, log: CredentialLog, facts: object): unknown {
  if (thrown instanceof CredentialRefused) {
    log.info({ ...facts, ...thrown.facts, reason: thrown.message }, 'a credential was refused');
    return unauthenticated(thrown.expired ? 'This token has expired.' : undefined);
  }
  if (thrown instanceof CredentialUnverifiable) {
    log.warn(facts, 'a credential could not be verified');
    const { retryAfterSeconds } = thrown;
    return new CallError('UNAVAILABLE', {
      message:
        'Whether this token is good cannot be known at the moment: the keys of its issuer cannot be fetched. Nothing was recorded and nothing ran.',
      retryable: true,
      retryAfterSeconds,
    });
  }
  return thrown;
}
