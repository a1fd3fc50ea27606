import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { didYouMean } from './problem.ts';
import { isRecord, stepsOf } from './structure.ts';

/** Something wrong inside a tool's `input`; `path` leads there from the schema's root. */
export interface SchemaFault {
  readonly path: readonly string[];
  readonly message: string;
  /** Whether the last step of the path is itself what is wrong. */
  readonly at: 'key' | 'value';
}

type Schema = Readonly<Record<string, unknown>>;

const draft = 'https://json-schema.org/draft/2020-12/schema';

/** The meta-schema with its doors shut: a keyword that it does not know is a typo, at whatever depth it stands. */
const strictMetaSchema = {
  $schema: draft,
  $id: 'urn:tether:input-schema',
  $dynamicAnchor: 'meta',
  $ref: draft,
  unevaluatedProperties: false,
};

const isSchema = new Ajv2020({
  allErrors: true,
  verbose: true,
  strict: false,
  validateFormats: false,
}).compile(strictMetaSchema);

/** Compiles the `input` schemas of one catalog. */
export interface InputSchemas {
  compile(
    input: Schema,
  ):
    | { readonly kind: 'ok'; readonly validate: ValidateFunction }
    | { readonly kind: 'invalid'; readonly faults: readonly SchemaFault[] };
}

export function createInputSchemas(): InputSchemas {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    // An argument may be called `constructor`: only what an object itself holds counts.
    ownProperties: true,
    verbose: true,
    addUsedSchema: false,
    validateSchema: false,
    logger: false,
  });
  addFormats.default(ajv);
  const formats = Object.keys(ajv.formats);
  const keywords = Object.keys(ajv.RULES.keywords);

  return {
    compile(input) {
      if (!isSchema(input)) return { kind: 'invalid', faults: metaFaults(isSchema.errors ?? [], keywords) };
      const faults = [...rootFaults(input), ...nameFaults(input, [])];
      if (faults.length > 0) return { kind: 'invalid', faults };
      try {
        return { kind: 'ok', validate: ajv.compile(input) };
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        return { kind: 'invalid', faults: [compileFault(error, input, formats)] };
      }
    },
  };
}

function* rootFaults({ type, $schema = draft }: Schema): Generator<SchemaFault> {
  if (type !== 'object') {
    yield { path: ['type'], message: 'Must be object, since the arguments are one JSON object.', at: 'value' };
  }
  if ($schema !== draft) yield { path: ['$schema'], message: `Must be ${draft}, or left out.`, at: 'value' };
}

/** Names that are required and that a closed object would refuse; and the one name that the validator passes over. */
function* nameFaults(schema: unknown, path: readonly string[]): Generator<SchemaFault> {
  if (!isRecord(schema) || !isRecord(schema.properties)) return;
  const names = Object.keys(schema.properties);
  if (names.includes('__proto__')) {
    yield { path: [...path, 'properties', '__proto__'], message: 'No argument can be called "__proto__".', at: 'key' };
  }
  const { required, additionalProperties, patternProperties } = schema;
  if (Array.isArray(required) && additionalProperties === false && patternProperties === undefined) {
    for (const [index, name] of required.entries()) {
      if (names.includes(String(name))) continue;
      const message = `"${name}" is required, but no property is called so.${didYouMean(String(name), names)}`;
      yield { path: [...path, 'required', String(index)], message, at: 'value' };
    }
  }
  for (const name of names) yield* nameFaults(schema.properties[name], [...path, 'properties', name]);
}

/** One fault a place: composite keywords repeat what their parts say. */
function metaFaults(errors: readonly ErrorObject[], keywords: readonly string[]): SchemaFault[] {
  const faults = new Map<string, SchemaFault>();
  for (const error of errors) {
    const fault = metaFault(error, keywords);
    const key = JSON.stringify(fault.path);
    if (!faults.has(key)) faults.set(key, fault);
  }
  return [...faults.values()];
}

function metaFault(error: ErrorObject, keywords: readonly string[]): SchemaFault {
  const path = stepsOf(error.instancePath);
  const unknown: unknown = error.params.unevaluatedProperty;
  if (typeof unknown === 'string') {
    const others = keywords.filter((keyword) => keyword !== unknown);
    const message = `"${unknown}" is no keyword of JSON Schema 2020-12.${didYouMean(unknown, others)}`;
    return { path: [...path, unknown], message, at: 'key' };
  }
  const { keyword, data, schema } = error;
  if (keyword === 'enum' && Array.isArray(schema)) {
    const guess = typeof data === 'string' ? didYouMean(data, schema.map(String)) : '';
    return { path, message: `Must be one of ${schema.join(', ')}.${guess}`, at: 'value' };
  }
  const received = typeof data === 'string' ? `, and is ${JSON.stringify(data)}` : '';
  const message = (error.message ?? 'must fit JSON Schema 2020-12').replace(/^must/, 'Must');
  return { path, message: `${message}${received}.`, at: 'value' };
}

/** What only shows when the schema is compiled: unknown formats, patterns and references that lead nowhere. */
function compileFault(error: Error, input: Schema, formats: readonly string[]): SchemaFault {
  const [, format, pointer] = /unknown format "(.*)" ignored in schema at path "#(.*)"/.exec(error.message) ?? [];
  if (format !== undefined && pointer !== undefined) {
    const message = `"${format}" is no format that is known here.${didYouMean(format, formats)} Accepted: ${formats.join(', ')}.`;
    return { path: [...stepsOf(pointer), 'format'], message, at: 'value' };
  }
  const blamed = [...textsIn(input, [])].find(({ text }) => error.message.includes(text));
  return { path: blamed?.path ?? [], message: `${error.message.replace(/^strict mode: /, '')}.`, at: 'value' };
}

/** Every `pattern` and `$ref` of a schema. */
function* textsIn(value: unknown, path: readonly string[]): Generator<{ text: string; path: readonly string[] }> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const here = [...path, key];
    if ((key === 'pattern' || key === '$ref') && typeof member === 'string') yield { text: member, path: here };
    else yield* textsIn(member, here);
  }
}
