import type { EndpointSettings } from '../domain/endpoint.ts';
import type { Tool } from '../domain/tool.ts';
import { argumentFault } from './argument-fault.ts';
import { checkOf, expectationOf } from './check-entry.ts';
import type { ToolEntry } from './check-form.ts';
import { secondsOf } from './duration.ts';
import type { Fault } from './fault.ts';
import type { InputSchemas } from './input-schema.ts';
import { didYouMean } from './problem.ts';
import { placeIn, typesOf } from './schema-place.ts';
import { stepsOf } from './structure.ts';
import { summaryFaults } from './summary-places.ts';

const writesOnly = [
  'summary',
  'risk',
  'reversible',
  'ttl',
  'value',
  'precondition',
  'verify',
  'intent',
  'four_eyes',
] as const;

/** What a tool's entry is held against. */
export interface Declared {
  readonly endpoints: ReadonlyMap<string, EndpointSettings>;
  readonly tools: Readonly<Record<string, ToolEntry>>;
  readonly schemas: InputSchemas;
}

/** One of `tools`; undefined when its schema cannot be used. */
export function toolOf(name: string, entry: ToolEntry, declared: Declared, fault: Fault): Tool | undefined {
  const { is_write: isWrite = false, ttl = '15m' } = entry;
  const endpoint = declared.endpoints.get(entry.endpoint);
  if (endpoint === undefined) {
    const names = [...declared.endpoints.keys()];
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
  const compiled = declared.schemas.compile(entry.input);
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
    value: worthOf(entry, fault),
    fourEyes: entry.four_eyes ?? false,
    precondition: preconditionOf(entry, declared, fault),
    verify: verifyOf(entry, declared, fault),
    intent: intentOf(entry, fault),
  };
}

const maxTtlSeconds = 30 * 86_400;
const maxWindowSeconds = 365 * 86_400;

function worthOf({ value, input }: ToolEntry, fault: Fault): Tool['value'] {
  if (value === undefined) return null;
  const { pointer, threshold, unit = '' } = value;
  const place = placeIn(input, stepsOf(pointer));
  if (place.kind === 'missing') fault(['value', 'pointer'], `${pointer} names no argument: ${place.message}`);
  const types = place.kind === 'known' ? typesOf(place.schema) : undefined;
  if (types !== undefined && !types.includes('number') && !types.includes('integer')) {
    fault(
      ['value', 'pointer'],
      `${pointer} is ${types.join(' or ')}; only a number can be held against the threshold.`,
    );
  }
  return { pointer, threshold, unit };
}

function preconditionOf(entry: ToolEntry, { tools }: Declared, fault: Fault): Tool['precondition'] {
  if (entry.precondition === undefined) return null;
  const check = checkOf(entry.precondition, entry, tools, below('precondition', fault));
  return { ...check, fields: entry.precondition.fields ?? null };
}

function verifyOf(entry: ToolEntry, { tools }: Declared, fault: Fault): Tool['verify'] {
  if (entry.verify === undefined) return null;
  const { expect, ...rest } = entry.verify;
  const within = below('verify', fault);
  return { ...checkOf(rest, entry, tools, within), expect: expectationOf(expect, entry, within) };
}

function intentOf({ intent, input }: ToolEntry, fault: Fault): Tool['intent'] {
  if (intent === undefined) return null;
  for (const [index, pointer] of intent.fields.entries()) {
    const place = placeIn(input, stepsOf(pointer));
    if (place.kind !== 'missing') continue;
    fault(['intent', 'fields', String(index)], `${pointer} names no argument: ${place.message}`);
  }
  const seconds = intent.window === undefined ? 0 : secondsOf(intent.window);
  if (seconds > maxWindowSeconds) fault(['intent', 'window'], `Must be at most 365d, and is ${intent.window}.`);
  return { fields: intent.fields, windowMs: seconds * 1000 };
}

function below(key: string, fault: Fault): Fault {
  return (path, message, at) => fault([key, ...path], message, at);
}
