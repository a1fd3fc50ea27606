import { type AsItIs, type FromToken, type Identity, isAuthentic, type TokenIssuer } from '../domain/identity.ts';
import type { CatalogFile, FromTokenEntry, TokenIssuerEntry } from './check-form.ts';
import type { Fault } from './fault.ts';
import { fillFromEnvironment, type Surroundings } from './references.ts';
import { tlsOf } from './tls-files.ts';

/** Stronger ones than these are declared; an issuer that signs otherwise has its reasons. */
const usualAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
const usualToleranceSeconds = 5;

/** `identity`: whose tokens are credentials. */
export function identityOf(
  { issuers }: NonNullable<CatalogFile['identity']>,
  surroundings: Surroundings,
  fault: Fault,
): Identity {
  const taken: TokenIssuer[] = [];
  for (const [index, entry] of issuers.entries()) {
    const faultHere: Fault = (path, message, at) => fault(['issuers', String(index), ...path], message, at);
    const issuer = issuerOf(entry, surroundings, faultHere);
    for (const [at, audience] of issuer.audience.entries()) {
      const before = taken.findIndex((each) => each.issuer === issuer.issuer && each.audience.includes(audience));
      if (before !== -1)
        faultHere(
          ['audience', String(at)],
          `Stands at identity.issuers.${before} too: a token of ${issuer.issuer} for it would be read in two ways.`,
        );
    }
    taken.push(issuer);
  }
  return { issuers: taken };
}

function issuerOf(entry: TokenIssuerEntry, surroundings: Surroundings, fault: Fault): TokenIssuer {
  const issuer = urlOf(entry.issuer, surroundings, (message) => fault(['issuer'], message));
  if (/[?#]/.test(issuer)) fault(['issuer'], 'Must not have a query (?…) or a fragment (#…): no issuer has.');
  const tenants = entry.tenants === undefined ? null : new Set(entry.tenants);
  const { tls } = entry;
  return {
    issuer,
    audience: entry.audience.map((text, index) => filled(text, surroundings, fault, 'audience', String(index))),
    keysUrl:
      entry.jwks_url === undefined
        ? null
        : urlOf(entry.jwks_url, surroundings, (message) => fault(['jwks_url'], message)),
    algorithms: entry.algorithms ?? usualAlgorithms,
    types: entry.typ?.map(typeOf) ?? null,
    idTokens: entry.id_tokens ?? false,
    clockToleranceSeconds: entry.clock_tolerance_seconds ?? usualToleranceSeconds,
    maxAgeSeconds: entry.max_age_seconds ?? null,
    tenant: tenantOf(entry, tenants, fault),
    tenants,
    user: asItIs(entry.user?.claim ?? 'sub', fault, 'user'),
    role: fromToken(entry.role, 'role', fault) ?? needsValues(fault),
    scopes: scopesOf(entry, fault),
    client: entry.client === undefined ? null : asItIs(entry.client.claim, fault, 'client'),
    required: requiredOf(entry, fault),
    ...(tls === undefined
      ? {}
      : { tls: tlsOf(tls, issuer, surroundings, (path, message, at) => fault(['tls', ...path], message, at)) }),
  };
}

/** As the header says it: with or without `application/`, in any case (RFC 7515, 4.1.9). */
function typeOf(text: string): string {
  return text.toLowerCase().replace(/^application\//, '');
}

function filled(text: string, surroundings: Surroundings, fault: Fault, ...path: readonly string[]): string {
  const found = fillFromEnvironment(text, surroundings);
  if (found.kind === 'ok') return found.value;
  fault(path, found.message);
  return '';
}

/** The URL as it is written, since issuers are compared by their text. Messages do not repeat it: it may hold a password. */
function urlOf(text: string, surroundings: Surroundings, fault: (message: string) => void): string {
  const found = fillFromEnvironment(text, surroundings);
  if (found.kind === 'invalid') {
    fault(found.message);
    return '';
  }
  const url = URL.parse(found.value);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    fault('Must be a URL that begins with https://, like https://login.example.com/.');
  else if (url.username !== '' || url.password !== '') fault('Must not hold a user or password.');
  else if (!isAuthentic(url))
    fault('Must begin with https://; http:// is for this machine alone (127.0.0.1, localhost).');
  return found.value;
}

function tenantOf(
  { tenant }: TokenIssuerEntry,
  tenants: ReadonlySet<string> | null,
  fault: Fault,
): TokenIssuer['tenant'] {
  const foreign = (id: string): string => `${id} is not among the tenants of this issuer, which are listed beside it.`;
  if (tenants !== null) {
    if (tenant.value !== undefined && !tenants.has(tenant.value)) fault(['tenant', 'value'], foreign(tenant.value));
    for (const [key, id] of Object.entries(tenant.values ?? {}))
      if (!tenants.has(id)) fault(['tenant', 'values', key], foreign(id));
  }
  return fromToken(tenant, 'tenant', fault) ?? { kind: 'as-it-is', claim: tenant.claim ?? '' };
}

/** Undefined for a claim without values. */
function fromToken<T>(entry: FromTokenEntry<T>, key: string, fault: Fault): FromToken<T> | undefined {
  const { value, claim, values } = entry;
  if ((value === undefined) === (claim === undefined)) fault([key], oneOf(['value', 'claim']), 'key');
  else if (claim === undefined && values !== undefined)
    fault([key, 'values'], 'Stands only beside claim: it says what the values of that claim stand for.', 'key');
  if (claim !== undefined) claimFault(claim, fault, key);
  if (value !== undefined) return { kind: 'value', value };
  if (claim === undefined || values === undefined) return undefined;
  return { kind: 'claim', claim, values: new Map(Object.entries(values)) };
}

function needsValues(fault: Fault): TokenIssuer['role'] {
  const message = '"values" is missing here: it says which of the claim\'s values are an agent, approver or operator.';
  fault(['role'], message, 'key');
  return { kind: 'value', value: 'agent' };
}

function scopesOf({ scopes, all_scopes }: TokenIssuerEntry, fault: Fault): TokenIssuer['scopes'] {
  if (scopes === undefined) {
    if (all_scopes === undefined)
      fault([], 'Must say what its tokens are good for: either all_scopes: true, or scopes.', 'key');
    return { kind: 'all' };
  }
  if (all_scopes !== undefined) fault(['all_scopes'], 'Stands beside scopes: one of them must go.', 'key');
  const { value, claim, all } = scopes;
  if ((value === undefined) === (claim === undefined)) fault(['scopes'], oneOf(['value', 'claim']), 'key');
  if (claim !== undefined) claimFault(claim, fault, 'scopes');
  if (claim === undefined && all !== undefined)
    fault(['scopes', 'all'], 'Stands only beside claim: it is one of that claim’s values.', 'key');
  return claim === undefined ? { kind: 'value', value: value ?? [] } : { kind: 'claim', claim, all: all ?? null };
}

function requiredOf({ required_claims }: TokenIssuerEntry, fault: Fault): TokenIssuer['required'] {
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
  const required = new Map<string, (string | number | boolean)[]>();
  for (const [claim, values] of Object.entries(required_claims ?? {})) {
    claimFault(claim, (_, message) => fault(['required_claims', claim], message, 'key'));
    for (const [index, value] of values.entries())
      if (!isPlain(value)) fault(['required_claims', claim, String(index)], 'Must be a text, a number, true or false.');
    required.set(
      claim,
      values.filter((value): value is string | number | boolean => isPlain(value)),
    );
  }
  return required;
}

function asItIs(claim: string, fault: Fault, key: string): AsItIs {
  claimFault(claim, fault, key);
  return { kind: 'as-it-is', claim };
}

function claimFault(claim: string, fault: Fault, ...path: readonly string[]): void {
  if (claim.startsWith('/') && !/^(\/([^/~]|~[01])*)+$/.test(claim))
    fault(
      [...path, 'claim'],
      'Begins with / and so must be a JSON Pointer, in which ~ is written ~0, and / in a name ~1.',
    );
}

function oneOf(keys: readonly string[]): string {
  return `Must have one of ${keys.join(' and ')}, and not both.`;
}
