import type { KeyObject } from 'node:crypto';
import type { EndpointSettings } from '../domain/endpoint.ts';
import type { AuthorizerEntry, CatalogFile, EndpointEntry, ServiceEntry } from './check-form.ts';
import { endpointUrlFault } from './endpoint-url.ts';
import type { Fault } from './fault.ts';
import { fillFromEnvironment, resolveSecret, type Surroundings } from './references.ts';
import { resolveSigningSecret } from './signing-secret.ts';
import { tlsOf } from './tls-files.ts';

/** DESIGN §4 and §5: what neither the endpoint nor `tool_transport` says. */
const defaults = { timeout_seconds: 20, max_attempts: 3, max_response_bytes: 262_144, max_concurrent: 64 };

/** One of `endpoints`. */
export function endpointOf(
  name: string,
  entry: EndpointEntry,
  transport: CatalogFile['tool_transport'],
  surroundings: Surroundings,
  fault: Fault,
): EndpointSettings {
  const settings = { ...defaults, ...transport, ...entry };
  return {
    ...serviceOf(name, entry, surroundings, fault),
    timeoutMs: Math.round(settings.timeout_seconds * 1000),
    maxAttempts: settings.max_attempts,
    maxResponseBytes: settings.max_response_bytes,
    maxConcurrent: settings.max_concurrent,
    ...breakerOf(entry),
    probe: settings.probe ?? false,
  };
}

/** Of reads; more failures than two calls with all their attempts make, and as long as a restart takes. */
const breakerDefaults = { failures: 10, open_seconds: 10 };

function breakerOf({ circuit_breaker }: EndpointEntry): Pick<EndpointSettings, 'breaker'> {
  const { failures, open_seconds } = { ...breakerDefaults, ...circuit_breaker };
  return failures === 0 ? {} : { breaker: { failures, openMs: Math.round(open_seconds * 1000) } };
}

/** A person waits for its answer, with more to come after it. */
const authorizerTimeoutSeconds = 5;

/** `authorizer`: asked once for each confirm. */
export function authorizerOf(entry: AuthorizerEntry, surroundings: Surroundings, fault: Fault): EndpointSettings {
  return {
    ...serviceOf('authorizer', entry, surroundings, fault),
    timeoutMs: Math.round((entry.timeout_seconds ?? authorizerTimeoutSeconds) * 1000),
    maxAttempts: 1,
    maxResponseBytes: defaults.max_response_bytes,
    maxConcurrent: defaults.max_concurrent,
    probe: false,
  };
}

/** What is the same of every service that is called. */
export function serviceOf(
  name: string,
  entry: ServiceEntry,
  surroundings: Surroundings,
  fault: Fault,
): Pick<EndpointSettings, 'name' | 'transport' | 'url' | 'bearerToken' | 'signingKeys' | 'tls'> {
  const url = fillFromEnvironment(entry.url, surroundings);
  const urlFault = url.kind === 'invalid' ? url.message : endpointUrlFault(url.value, entry.transport);
  if (urlFault !== undefined) fault(['url'], urlFault);
  const token = entry.bearer_token === undefined ? undefined : resolveSecret(entry.bearer_token, surroundings);
  if (token?.kind === 'invalid') fault(['bearer_token'], token.message);
  const signingKeys = entry.signing_secrets && keysOf(entry.signing_secrets, surroundings, fault);
  return {
    name,
    transport: entry.transport,
    url: url.kind === 'ok' ? url.value : '',
    ...(token?.kind === 'ok' ? { bearerToken: token.value } : {}),
    ...(signingKeys === undefined ? {} : { signingKeys }),
    ...(entry.tls === undefined
      ? {}
      : { tls: tlsOf(entry.tls, url.kind === 'ok' ? url.value : '', surroundings, within(fault, 'tls')) }),
  };
}

/** The same, of an entry one level below. */
function within(fault: Fault, key: string): Fault {
  return (path, message, at) => fault([key, ...path], message, at);
}

function keysOf(secrets: readonly string[], surroundings: Surroundings, fault: Fault): KeyObject[] {
  const keys: KeyObject[] = [];
  for (const [index, secret] of secrets.entries()) {
    const resolved = resolveSigningSecret(secret, surroundings);
    const at = ['signing_secrets', String(index)];
    if (resolved.kind === 'invalid') fault(at, resolved.message);
    else if (keys.some((key) => key.equals(resolved.key))) fault(at, 'Is the same secret as the one above it.');
    else keys.push(resolved.key);
  }
  return keys;
}
