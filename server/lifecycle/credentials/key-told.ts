import type { Credential } from '../credential-ports.ts';

/** A credential, and its key: told this once. */
export interface KeyTold {
  readonly credential: Credential;
  readonly key: string;
}
