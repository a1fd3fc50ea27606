import type { Credential } from '../ports/credentials.ts';

/** A credential, and its key: told this once. */
export interface KeyTold {
  readonly credential: Credential;
  readonly key: string;
}
