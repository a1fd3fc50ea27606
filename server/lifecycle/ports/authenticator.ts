/** Who is calling. Implemented by store. */
import type { Principal } from '../../domain/principal.ts';

/** Turns a bearer credential into who it is; undefined for one that is unknown. Never tells why. */
export interface Authenticator {
  authenticate(credential: string): Promise<Principal | undefined>;
}
