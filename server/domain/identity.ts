import type { EndpointTls } from './endpoint.ts';
import type { Role } from './principal.ts';

/** How tokens may be signed. All are asymmetric: what is known for verifying a token is no help in making one. */
export const tokenAlgorithms = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
] as const;
export type TokenAlgorithm = (typeof tokenAlgorithms)[number];

/** Where something stands in a token's claims: the name of a claim, or, beginning with `/`, a JSON Pointer (RFC 6901). */
export type ClaimPlace = string;

/** Something that every token of an issuer says alike, or that each says in a claim. */
export type FromToken<T> =
  | { readonly kind: 'value'; readonly value: T }
  /** `values`: what the claim's values stand for, and no other is taken. */
  | { readonly kind: 'claim'; readonly claim: ClaimPlace; readonly values: ReadonlyMap<string, T> };

/** A claim whose value is taken as it is. */
export interface AsItIs {
  readonly kind: 'as-it-is';
  readonly claim: ClaimPlace;
}

/** The parts of the tenant a token is good for. */
export type ScopesOfToken =
  | { readonly kind: 'all' }
  | { readonly kind: 'value'; readonly value: readonly string[] }
  /** `all`: the value that stands for every part of the tenant; null when none does. */
  | { readonly kind: 'claim'; readonly claim: ClaimPlace; readonly all: string | null };

/** Whose tokens are taken as credentials, and what is read from them. */
export interface TokenIssuer {
  /** The `iss` of its tokens, compared character by character. */
  readonly issuer: string;
  /** A token must be for one of them. */
  readonly audience: readonly string[];
  /** Where its public keys are; null: where its OpenID configuration says. */
  readonly keysUrl: string | null;
  readonly algorithms: readonly TokenAlgorithm[];
  /** What the header `typ` must be, in lower case without `application/`; null: that of an access token, or none. */
  readonly types: readonly string[] | null;
  /** Whether a token that tells a client who logged in is a credential too. */
  readonly idTokens: boolean;
  /** How far its clock may be from ours. */
  readonly clockToleranceSeconds: number;
  /** How long after it was issued a token counts at most; null: until it expires. */
  readonly maxAgeSeconds: number | null;
  readonly tenant: FromToken<string> | AsItIs;
  /** The tenants it may speak for; null: any. */
  readonly tenants: ReadonlySet<string> | null;
  readonly user: AsItIs;
  readonly role: FromToken<Role>;
  readonly scopes: ScopesOfToken;
  /** Which program the token was made for; null: `client_id` or `azp`, where a token has one. */
  readonly client: AsItIs | null;
  /** Claims that must have one of these values, or hold one where they are lists. */
  readonly required: ReadonlyMap<ClaimPlace, readonly (string | number | boolean)[]>;
  /** What TLS to the issuer rests on; the runtime's own authorities when undefined. */
  readonly tls?: EndpointTls;
}

/** Whose tokens are taken. Two entries of one issuer have no audience in common. */
export interface Identity {
  readonly issuers: readonly TokenIssuer[];
}

const thisMachine = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether what is read from there is what its owner says: over TLS, or from this very machine. */
export function isAuthentic({ protocol, hostname, username, password }: URL): boolean {
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && thisMachine.test(hostname));
}
