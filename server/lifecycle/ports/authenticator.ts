/** Who is calling. Implemented by store for API keys, and by tokens for those of an issuer. */
import type { Principal } from '../../domain/principal.ts';

/** Turns a bearer credential into who it is; undefined for one that is unknown. */
export interface Authenticator {
  /**
   * Rejects with CredentialRefused or CredentialUnverifiable for one whose holder may be told no more than what these say, and
   * with StoreUnavailable when the database is away.
   */
  authenticate(credential: string): Promise<Principal | undefined>;
  /** Whether it was good when it was looked at here last. Asks nobody, and lets nobody in. */
  recognises(credential: string): boolean;
}

/** Thrown for a credential that does not count. Its message says why, for the log alone; it never holds the credential. */
export class CredentialRefused extends Error {
  /** It is genuine and was good: the one thing that its holder is told. */
  readonly expired: boolean;
  /** What the log has beside the message. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: Readonly<Record<string, unknown>> = {}, expired = false) {
    super(message);
    this.name = 'CredentialRefused';
    this.facts = facts;
    this.expired = expired;
  }
}

/** Thrown when it cannot be known whether a credential is good: what it is verified with cannot be had. */
export class CredentialUnverifiable extends Error {
  /** Seconds, whole: earlier the answer will be the same. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number, options?: ErrorOptions) {
    super('a credential cannot be verified at the moment', options);
    this.name = 'CredentialUnverifiable';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
