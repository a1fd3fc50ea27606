import type { Logger } from 'pino';
import { type Principal, sameRights } from '../../domain/principal.ts';
import { type Authenticator, CredentialRefused } from '../../lifecycle/ports/authenticator.ts';
import type { Call } from '../call.ts';
import type { DoorLimits } from '../limits.ts';
import { assertRole } from '../roles.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { createCallRate } from './call-rate.ts';
import { bearerCredential, refusalOf, unauthenticated } from './credential.ts';
import { createOpenStreams, type OpenStreams } from './open-streams.ts';
import { createStrangers } from './strangers.ts';

/** Who is let in, and how often. */
export interface Admission {
  /** Throws CallErrors, and what the authenticator throws. */
  enter(rpc: Rpc, call: Call): Promise<Principal>;
  /** What a stream tells or does long after it was admitted is for a credential that is good then, for the same. */
  assertStill(principal: Principal, rpc: Rpc, call: Call): Promise<void>;
  /** The streams without an end of their own that each credential has open. */
  readonly streams: OpenStreams;
}

export function createAdmission(authenticator: Authenticator, limits: DoorLimits, logger: Logger): Admission {
  const rate = createCallRate(limits.callsPerSecond);
  const strangers = createStrangers(
    limits.failedKeysPerSecond,
    (credential) => authenticator.recognises(credential),
    logger,
  );

  async function authenticated(rpc: Rpc, { authorization, requestId, peer }: Call): Promise<Principal> {
    const credential = bearerCredential(authorization);
    const tried = strangers.letTry(peer, credential);
    let principal: Principal | undefined;
    try {
      principal = await authenticator.authenticate(credential);
    } catch (thrown) {
      if (thrown instanceof CredentialRefused) strangers.failed(peer, tried);
      else strangers.passed(tried);
      throw refusalOf(thrown, logger, { request_id: requestId, rpc: rpc.method.name });
    }
    if (principal === undefined) {
      strangers.failed(peer, tried);
      throw unauthenticated();
    }
    strangers.passed(tried);
    return principal;
  }

  return {
    streams: createOpenStreams(limits.streamsPerCredential),
    async enter(rpc, call) {
      const principal = await authenticated(rpc, call);
      rate.take(principal);
      assertRole(principal, rpc.method.name, rpc.roles);
      return principal;
    },
    async assertStill(principal, rpc, call) {
      if (!sameRights(principal, await authenticated(rpc, call))) throw unauthenticated();
    },
  };
}
