import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Reversible, Risk } from '../domain/action.ts';
import type { EndpointTransport } from '../domain/endpoint.ts';
import type { TokenAlgorithm } from '../domain/identity.ts';
import type { Role } from '../domain/principal.ts';
import type { WebhookTopic } from '../domain/webhook.ts';
import { didYouMean, type Problem } from './problem.ts';
import { isRecord, stepsOf } from './structure.ts';
import schema from './tether.schema.json' with { type: 'json' };
import type { YamlSource } from './yaml-source.ts';

/** A catalog as its file says it, once it has the form that tether.schema.json asks for. */
export interface CatalogFile {
  readonly version: 1;
  readonly tool_transport?: Transport;
  readonly authorizer?: AuthorizerEntry;
  readonly identity?: { readonly issuers: readonly TokenIssuerEntry[] };
  readonly endpoints: Readonly<Record<string, EndpointEntry>>;
  readonly tools: Readonly<Record<string, ToolEntry>>;
  readonly webhooks?: Readonly<Record<string, WebhookEntry>>;
}

interface Transport {
  readonly timeout_seconds?: number;
  readonly max_attempts?: number;
  readonly max_response_bytes?: number;
}

/** A service that is called. */
export interface ServiceEntry {
  readonly transport: EndpointTransport;
  readonly url: string;
  readonly bearer_token?: string;
  readonly signing_secrets?: readonly string[];
  readonly tls?: TlsEntry;
}

/** Paths of files. */
export interface TlsEntry {
  readonly ca_file?: string;
  readonly cert_file?: string;
  readonly key_file?: string;
}

export interface EndpointEntry extends ServiceEntry, Transport {
  readonly max_concurrent?: number;
  readonly circuit_breaker?: { readonly failures?: number; readonly open_seconds?: number };
  readonly probe?: boolean;
}

export interface AuthorizerEntry extends ServiceEntry {
  readonly timeout_seconds?: number;
}

/** Something that stands in a claim of a token. */
interface ClaimEntry {
  readonly claim: string;
}

/** Either `value`, or `claim` with what its values stand for. */
export interface FromTokenEntry<T> extends Partial<ClaimEntry> {
  readonly value?: T;
  readonly values?: Readonly<Record<string, T>>;
}

/** Whose tokens are taken as credentials. */
export interface TokenIssuerEntry {
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly jwks_url?: string;
  readonly algorithms?: readonly TokenAlgorithm[];
  readonly typ?: readonly string[];
  readonly id_tokens?: boolean;
  readonly clock_tolerance_seconds?: number;
  readonly max_age_seconds?: number;
  readonly tenant: FromTokenEntry<string>;
  readonly tenants?: readonly string[];
  readonly user?: ClaimEntry;
  readonly client?: ClaimEntry;
  readonly role: FromTokenEntry<Role>;
  readonly all_scopes?: true;
  readonly scopes?: Partial<ClaimEntry> & { readonly value?: readonly string[]; readonly all?: string };
  readonly required_claims?: Readonly<Record<string, readonly unknown[]>>;
  readonly tls?: { readonly ca_file: string };
}

export interface WebhookEntry extends Omit<ServiceEntry, 'transport'> {
  readonly tenant: string;
  readonly topics?: readonly WebhookTopic[];
  readonly scopes?: readonly string[];
  readonly expiring_soon?: string;
  readonly timeout_seconds?: number;
}

/** A read that is called for a write. */
export interface CheckEntry {
  readonly read: string;
  readonly arguments: Readonly<Record<string, string>>;
  readonly expect?: string;
}

export interface ToolEntry {
  readonly endpoint: string;
  readonly is_write?: boolean;
  readonly description: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly summary?: string;
  readonly risk?: Risk;
  readonly reversible?: Reversible;
  readonly ttl?: string;
  readonly value?: { readonly pointer: string; readonly threshold: number; readonly unit?: string };
  readonly precondition?: CheckEntry & { readonly fields?: readonly string[] };
  readonly verify?: CheckEntry & { readonly expect: string };
  readonly intent?: { readonly fields: readonly string[]; readonly window?: string };
  readonly four_eyes?: boolean;
}

const matches = new Ajv2020({ allErrors: true, verbose: true, strict: true }).compile<CatalogFile>(schema);

/** Holds a document against tether.schema.json; every problem at once. */
export function checkForm(
  source: YamlSource,
): { readonly kind: 'ok'; readonly file: CatalogFile } | { readonly kind: 'invalid'; readonly problems: Problem[] } {
  const { value } = source;
  if (matches(value)) return { kind: 'ok', file: value };
  const problems = (matches.errors ?? []).map((error) => problemOf(source, error));
  return { kind: 'invalid', problems: problems.filter((problem) => problem !== undefined) };
}

function problemOf(source: YamlSource, error: ErrorObject): Problem | undefined {
  const path = stepsOf(error.instancePath);
  const { keyword, data } = error;
  const asked: unknown = error.parentSchema;
  // What stands there may be a secret: it is never repeated.
  if (holdsSecrets(path, keyword)) return source.problem(path, secretFault(asked));
  switch (keyword) {
    case 'additionalProperties': {
      const key = String(error.params.additionalProperty);
      return source.problem([...path, key], unknownKey(key, propertiesOf(asked)), 'key');
    }
    case 'required': {
      const missing = String(error.params.missingProperty);
      return source.problem(path, `"${missing}" is missing here${describe(propertyOf(asked, missing))}.`, 'key');
    }
    case 'propertyNames':
      return undefined; // the failure of the name itself is told
    case 'enum':
      return source.problem(
        path,
        `Must be ${oneOf(error.schema)}, and is ${found(data)}.${enumGuess(data, error.schema)}`,
      );
    case 'type':
      return source.problem(path, `Must be ${typeName(String(error.schema))}, and is ${found(data)}.`);
    case 'pattern':
      if (error.propertyName !== undefined) {
        const message = `"${error.propertyName}" cannot be a name here: a name is ${textOf(asked, 'description')}.`;
        return source.problem([...path, error.propertyName], message, 'key');
      }
      return source.problem(path, `Is ${found(data)}; accepted are values like ${examplesOf(asked).join(', ')}.`);
    case 'minimum':
    case 'maximum':
      return source.problem(
        path,
        `Must be ${keyword === 'minimum' ? 'at least' : 'at most'} ${error.schema}, and is ${data}.`,
      );
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return source.problem(path, 'Must not be empty.');
    case 'uniqueItems':
      return source.problem([...path, String(error.params.i)], 'Stands here twice.');
    case 'maxLength':
      return source.problem(path, `Must have at most ${error.schema} characters, and has ${[...String(data)].length}.`);
    default:
      return source.problem(path, `${error.message ?? 'Does not fit'}.`);
  }
}

/** Whether that is within `bearer_token` or `signing_secrets` of a service that is called, or no files in `tls`. */
function holdsSecrets(path: readonly string[], keyword: string): boolean {
  const named = path[0] === 'endpoints' || path[0] === 'webhooks';
  const key = named ? path[2] : path[0] === 'authorizer' ? path[1] : undefined;
  return key === 'bearer_token' || key === 'signing_secrets' || (key === 'tls' && keyword === 'type');
}

function secretFault(asked: unknown): string {
  return `Must be ${textOf(asked, 'description')}; accepted: ${examplesOf(asked).join(', ')}.`;
}

function unknownKey(key: string, known: readonly string[]): string {
  return `"${key}" is no key that stands here.${didYouMean(key, known)} Accepted: ${known.join(', ')}.`;
}

function describe(asked: unknown): string {
  const examples = examplesOf(asked);
  const choices = isRecord(asked) && Array.isArray(asked.enum) ? `: ${oneOf(asked.enum)}` : '';
  return examples.length > 0 ? `, like ${examples.join(', ')}` : choices;
}

function enumGuess(data: unknown, choices: unknown): string {
  return typeof data === 'string' && Array.isArray(choices) ? didYouMean(data, choices.map(String)) : '';
}

function oneOf(choices: unknown): string {
  return Array.isArray(choices) ? choices.join(', ').replace(/, (?=[^,]*$)/, ' or ') : String(choices);
}

function typeName(type: string): string {
  if (type === 'object') return 'a mapping of names to values';
  if (type === 'boolean') return 'true or false';
  if (type === 'array') return 'a list';
  return type === 'integer' ? 'an integer' : `a ${type}`;
}

function found(data: unknown): string {
  if (data === null) return 'empty';
  if (Array.isArray(data)) return 'a list';
  if (typeof data === 'object') return 'a mapping';
  const text = JSON.stringify(data);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function propertiesOf(asked: unknown): string[] {
  return isRecord(asked) && isRecord(asked.properties) ? Object.keys(asked.properties) : [];
}

function propertyOf(asked: unknown, name: string): unknown {
  const property = isRecord(asked) && isRecord(asked.properties) ? asked.properties[name] : undefined;
  if (!isRecord(property) || typeof property.$ref !== 'string') return property;
  const [definition = ''] = stepsOf(property.$ref).slice(1);
  return Object.entries(schema.$defs).find(([key]) => key === definition)?.[1];
}

function textOf(asked: unknown, key: string): string {
  return isRecord(asked) ? String(asked[key] ?? '') : '';
}

function examplesOf(asked: unknown): string[] {
  return isRecord(asked) && Array.isArray(asked.examples) ? asked.examples.map(String) : [];
}
