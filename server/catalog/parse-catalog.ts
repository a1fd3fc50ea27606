import type { EndpointSettings } from '../domain/endpoint.ts';
import type { Tool } from '../domain/tool.ts';
import { argumentFault } from './argument-fault.ts';
import { type CatalogFile, checkForm, type EndpointEntry, type ToolEntry } from './check-form.ts';
import { endpointUrlFault } from './endpoint-url.ts';
import { createInputSchemas, type InputSchemas } from './input-schema.ts';
import { didYouMean, type Problem } from './problem.ts';
import { fillFromEnvironment, resolveSecret, type Surroundings } from './references.ts';
import { summaryFaults } from './summary-places.ts';
import { readYaml, type YamlSource } from './yaml-source.ts';

/** What one version of tether.yaml declares. */
export interface Catalog {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly endpoints: ReadonlyMap<string, EndpointSettings>;
}

export type ParsedCatalog =
  | { readonly kind: 'ok'; readonly catalog: Catalog }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/** Reads a catalog. It is good as a whole or not at all: then every problem that can be known is listed, in file order. */
export function parseCatalog(text: string, surroundings: Surroundings): ParsedCatalog {
  const read = readYaml(text);
  if (read.kind === 'invalid') return invalid(read.problems);
  const form = checkForm(read.source);
  if (form.kind === 'invalid') return invalid(form.problems);
  const problems: Problem[] = [];
  const endpoints = new Map<string, EndpointSettings>();
  for (const [name, entry] of Object.entries(form.file.endpoints)) {
    endpoints.set(name, endpointOf(name, entry, form.file, read.source, surroundings, problems));
  }
  const tools = new Map<string, Tool>();
  const schemas = createInputSchemas();
  for (const [name, entry] of Object.entries(form.file.tools)) {
    const tool = toolOf(name, entry, endpoints, schemas, read.source, problems);
    if (tool !== undefined) tools.set(name, tool);
  }
  return problems.length > 0 ? invalid(problems) : { kind: 'ok', catalog: { tools, endpoints } };
}

function invalid(problems: readonly Problem[]): ParsedCatalog {
  return { kind: 'invalid', problems: problems.toSorted((a, b) => a.line - b.line || a.column - b.column) };
}

/** DESIGN §4 and §5: what neither the endpoint nor `tool_transport` says. */
const defaults = { timeout_seconds: 20, max_attempts: 3, max_response_bytes: 262_144, max_concurrent: 64 };

function endpointOf(
  name: string,
  entry: EndpointEntry,
  file: CatalogFile,
  source: YamlSource,
  surroundings: Surroundings,
  problems: Problem[],
): EndpointSettings {
  const settings = { ...defaults, ...file.tool_transport, ...entry };
  const fault = (key: string, message: string): void => {
    problems.push(source.problem(['endpoints', name, key], message));
  };
  const url = fillFromEnvironment(entry.url, surroundings);
  const urlFault = url.kind === 'invalid' ? url.message : endpointUrlFault(url.value, entry.transport);
  if (urlFault !== undefined) fault('url', urlFault);
  const token = entry.bearer_token === undefined ? undefined : resolveSecret(entry.bearer_token, surroundings);
  if (token?.kind === 'invalid') fault('bearer_token', token.message);
  return {
    name,
    transport: settings.transport,
    url: url.kind === 'ok' ? url.value : '',
    timeoutMs: Math.round(settings.timeout_seconds * 1000),
    maxAttempts: settings.max_attempts,
    maxResponseBytes: settings.max_response_bytes,
    maxConcurrent: settings.max_concurrent,
    ...(token?.kind === 'ok' ? { bearerToken: token.value } : {}),
  };
}

const writesOnly = ['summary', 'risk', 'reversible', 'ttl'] as const;

function toolOf(
  name: string,
  entry: ToolEntry,
  endpoints: ReadonlyMap<string, EndpointSettings>,
  schemas: InputSchemas,
  source: YamlSource,
  problems: Problem[],
): Tool | undefined {
  const { is_write: isWrite = false, ttl = '15m' } = entry;
  const fault = (path: readonly string[], message: string, at?: 'key' | 'value'): void => {
    problems.push(source.problem(['tools', name, ...path], message, at));
  };
  const endpoint = endpoints.get(entry.endpoint);
  if (endpoint === undefined) {
    const names = [...endpoints.keys()];
    const known = names.length === 0 ? ' None is declared.' : ` Declared: ${names.join(', ')}.`;
    fault(['endpoint'], `No endpoint is called "${entry.endpoint}".${didYouMean(entry.endpoint, names)}${known}`);
  }
  for (const key of isWrite ? [] : writesOnly.filter((each) => entry[each] !== undefined)) {
    fault([key], `"${key}" is for writes, and this tool is a read: say "is_write: true", or take it out.`, 'key');
  }
  const ttlSeconds = secondsOf(ttl);
  if (ttlSeconds > maxTtlSeconds) fault(['ttl'], `Must be at most 30d, and is ${ttl}.`);
  for (const message of entry.summary === undefined ? [] : summaryFaults(entry.summary, entry.input)) {
    fault(['summary'], message);
  }
  const compiled = schemas.compile(entry.input);
  if (compiled.kind === 'invalid') {
    for (const { path, message, at } of compiled.faults) fault(['input', ...path], message, at);
    return undefined;
  }
  const { validate } = compiled;
  return {
    name,
    description: entry.description,
    endpoint: entry.endpoint,
    isWrite,
    input: entry.input,
    validate: (args) => (validate(args) ? undefined : argumentFault(validate.errors ?? [])),
    summary: entry.summary ?? null,
    risk: entry.risk ?? 'normal',
    reversible: entry.reversible ?? null,
    ttlSeconds,
    timeoutSeconds: (endpoint?.timeoutMs ?? 0) / 1000,
  };
}

const maxTtlSeconds = 30 * 86_400;
const secondsIn: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Of a duration like 90s, 15m, 24h or 7d. */
function secondsOf(duration: string): number {
  return Number(duration.slice(0, -1)) * (secondsIn[duration.slice(-1)] ?? Number.NaN);
}
