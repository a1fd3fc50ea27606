import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { getOption, hasOption } from '@bufbuild/protobuf';
import { type FieldRules, field as rulesOf } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import { type Form, formOf, nameOf, wordsOf } from './field-form.ts';

/** JSON Schema (2020-12), as far as it is needed here. */
export type Schema = { readonly [key: string]: unknown };

/** The sentence that the contract has beside a message, field, or RPC. */
export type Comments = (fullName: string) => string;

/** What the contract's sentences do not say, since there the form is another. */
const remarks: Partial<Record<Form['kind'], string>> = {
  json: 'Here: the JSON itself, byte for byte.',
  seconds: 'Here: a number of seconds.',
};

/** The schema of a field, as it stands in a body; `object` says how a message within it is told. */
export function fieldSchema(field: DescField, comments: Comments, object: (type: DescMessage) => Schema): Schema {
  const form = formOf(field);
  const said = comments(`${field.parent.typeName}.${field.name}`);
  const description = form.kind in remarks ? `${said} ${remarks[form.kind]}` : said;
  const one = { ...formSchema(form, object), ...(field.fieldKind === 'list' ? {} : limitsOf(field)) };
  return field.fieldKind === 'list' ? { type: 'array', items: one, description } : { ...one, description };
}

function formSchema(form: Form, object: (type: DescMessage) => Schema): Schema {
  switch (form.kind) {
    case 'text':
      return { type: 'string' };
    case 'json':
      return {};
    case 'boolean':
      return { type: 'boolean' };
    case 'number':
      return { type: 'integer', format: `int${form.bits}` };
    case 'time':
      return { type: 'string', format: 'date-time' };
    case 'seconds':
      return { type: 'number' };
    case 'word':
      return { type: 'string', enum: wordsOf(form.type).map(({ word }) => word) };
    case 'object':
      return object(form.type);
  }
}

/** The rules beside a field that JSON Schema can say. */
function limitsOf(field: DescField): Schema {
  if (!hasOption(field, rulesOf)) return {};
  const { type }: FieldRules = getOption(field, rulesOf);
  if (type.case === 'int32')
    return defined({
      minimum: type.value.greaterThan.case === 'gte' ? type.value.greaterThan.value : undefined,
      maximum: type.value.lessThan.case === 'lte' ? type.value.lessThan.value : undefined,
    });
  if (type.case !== 'string') return {};
  const { minLen, maxLen, wellKnown } = type.value;
  return defined({
    minLength: given(minLen),
    maxLength: given(maxLen),
    format: wellKnown.case === 'uuid' ? 'uuid' : undefined,
  });
}

function given(length: bigint): number | undefined {
  return length === 0n ? undefined : Number(length);
}

function defined(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

/** What a request takes: its fields, without those that come otherwise, and nothing else. */
export function requestSchema(
  schema: DescMessage,
  comments: Comments,
  except: (field: string) => boolean = () => false,
): Schema {
  const fields = schema.fields.filter(({ name }) => !except(name));
  const object = (type: DescMessage) => requestSchema(type, comments);
  return {
    type: 'object',
    description: comments(schema.typeName),
    properties: Object.fromEntries(fields.map((field) => [nameOf(field), fieldSchema(field, comments, object)])),
    additionalProperties: false,
  };
}

/** A message in an answer, by reference. */
export function answerReference({ name }: Pick<DescMessage, 'name'>): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The components of an answer: its message, and every message within it. */
export function answerSchemas(
  schema: DescMessage,
  comments: Comments,
  known: ReadonlyMap<string, Schema> = new Map(),
): ReadonlyMap<string, Schema> {
  if (known.has(schema.name)) return known;
  const properties = Object.fromEntries(
    schema.fields.map((field) => [nameOf(field), fieldSchema(field, comments, answerReference)]),
  );
  const own: Schema = { type: 'object', description: comments(schema.typeName), properties };
  return schema.fields
    .flatMap(({ message }) => (message === undefined || message.typeName.startsWith('google.') ? [] : [message]))
    .reduce(
      (sofar: ReadonlyMap<string, Schema>, inner) => answerSchemas(inner, comments, sofar),
      new Map(known).set(schema.name, own),
    );
}
