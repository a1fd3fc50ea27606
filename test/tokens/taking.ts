/** An authenticator of tokens as a server has it, with clocks in the test's hand. */
import { onTestFinished } from 'vitest';
import type { Identity } from '../../server/domain/identity.ts';
import { CredentialRefused } from '../../server/lifecycle/ports/authenticator.ts';
import {
  createTokenAuthenticator,
  type TokenAuthenticator,
  type TokenAuthenticatorOptions,
} from '../../server/tokens/create-token-authenticator.ts';
import { catalogOf } from '../support/catalog.ts';

/** What the catalog declares of `issuers`, each in flow style. */
export function identityOf(...issuers: readonly string[]): Identity {
  const items = issuers.map((each) => `    - ${each}\n`).join('');
  const { identity } = catalogOf(`version: 1\nidentity:\n  issuers:\n${items}endpoints: {}\ntools: {}\n`);
  if (identity === undefined) throw new Error('no identity');
  return identity;
}

/** An entry that takes whatever it can for tenant acme; what is said more stands in flow style. */
export function entryOf(
  url: string,
  more = 'tenant: { value: acme }, role: { value: agent }, all_scopes: true',
): string {
  return `{ issuer: "${url}", audience: [tether], ${more} }`;
}

export interface Taking extends TokenAuthenticator {
  /** What the catalog says now. */
  identity: Identity | undefined;
  /** What is added to the real clocks, milliseconds. */
  ahead: number;
  /** The tenants that were asked for, one for each time. */
  readonly asked: string[];
  /** Each line of the log, as JSON. */
  readonly log: string[];
}

/** There are tenants acme and beta. */
export function taking(
  identity: Identity | undefined,
  options: Partial<Pick<TokenAuthenticatorOptions, 'keyTimes'>> = {},
): Taking {
  const log: string[] = [];
  const asked: string[] = [];
  const write = (facts: object, message: string) => void log.push(JSON.stringify({ ...facts, message }));
  const authenticator = createTokenAuthenticator({
    identity: () => taker.identity,
    tenants: {
      async tenantExists(id) {
        asked.push(id);
        return ['acme', 'beta'].includes(id);
      },
    },
    log: { info: write, warn: write, error: write },
    wall: () => Date.now() + taker.ahead,
    monotonic: () => performance.now() + taker.ahead,
    ...options,
  });
  const taker: Taking = { ...authenticator, identity, ahead: 0, asked, log };
  onTestFinished(() => authenticator.close());
  return taker;
}

/** Why a token is refused; throws when it is taken, or fails otherwise. */
export async function refusalOf(answer: Promise<unknown>): Promise<CredentialRefused> {
  const thrown = await answer.then(
    (taken) => new Error(`it was taken: ${JSON.stringify(taken)}`),
    (error: unknown) => error,
  );
  if (thrown instanceof CredentialRefused) return thrown;
  throw thrown;
}
