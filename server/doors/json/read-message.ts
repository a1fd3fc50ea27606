import { create, type DescField, type DescMessage, fromJson, type Message } from '@bufbuild/protobuf';
import { isReflectList, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { DurationSchema, durationFromMs, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { invalidRequest } from '../invalid-request.ts';
import { type Form, formOf, nameOf, wordsOf } from './field-form.ts';
import { itemsOf, kindOf, membersOf, type Raw, rawOf } from './json-members.ts';

/** The fields of a request that come with the path, and so not with the body. */
export type Bound = ReadonlyMap<string, string>;

/**
 * A request of the contract out of a body: every member must be a field (by the JSON door's name for it), once, of its own
 * kind; null means absent. Throws INVALID_REQUEST, naming what is accepted. The contract's rules are checked later, for every
 * door in one place.
 */
export function readMessage(schema: DescMessage, body: string, bound: Bound): Message {
  const message = create(schema);
  const target = reflect(schema, message);
  for (const field of schema.fields) {
    const value = bound.get(field.name);
    if (value !== undefined) target.set(field, value);
  }
  const fields = schema.fields.filter(({ name }) => !bound.has(name));
  readInto(target, fields, { body, raw: rawOf(body), what: 'The body', at: '' });
  return message;
}

interface Place {
  /** The whole body: offsets count from its beginning. */
  readonly body: string;
  readonly raw: Raw;
  /** What it is, to begin a sentence. */
  readonly what: string;
  /** JSON Pointer of it; empty for the body itself. */
  readonly at: string;
}

function readInto(target: ReflectMessage, fields: readonly DescField[], { body, raw, what, at }: Place): void {
  const byName = new Map(fields.map((field) => [nameOf(field), field]));
  for (const [name, member] of membersOf(body, raw, what)) {
    const field = byName.get(name);
    if (field === undefined) throw unknown(name, what, [...byName.keys()]);
    const path = at === '' ? name : `${at}/${name}`;
    const form = formOf(field);
    if (member.type === 'null' && form.kind !== 'json') continue;
    if (field.fieldKind !== 'list') {
      target.set(field, valueIn(form, { body, raw: member, what: path, at: `${at}/${name}` }));
      continue;
    }
    const list: unknown = target.get(field);
    if (!isReflectList(list)) throw new Error(`${field.name} is no list`);
    const items = itemsOf(body, member) ?? fail(path, `must be a list; this is ${kindOf(member)}`, member);
    for (const [index, item] of items.entries()) {
      const place = `${at}/${name}/${index}`;
      list.add(valueIn(form, { body, raw: item, what: place, at: place }));
    }
  }
}

function valueIn(form: Form, { body, raw, what, at }: Place): unknown {
  const wrong = (wanted: string): never => fail(what, `must be ${wanted}; this is ${kindOf(raw)}`, raw);
  switch (form.kind) {
    case 'json':
      return raw.text;
    case 'text':
      return raw.type === 'string' ? wellFormed(String(raw.value), what, raw) : wrong('a text');
    case 'boolean':
      return raw.type === 'boolean' ? raw.value : wrong('true or false');
    case 'number':
      return raw.type === 'number' ? wholeNumber(raw.text, form.bits, what) : wrong('a whole number');
    case 'seconds':
      return raw.type === 'number' ? secondsOf(Number(raw.value), what, raw) : wrong('a number of seconds');
    case 'time':
      return raw.type === 'string' ? timeOf(String(raw.value), what) : wrong('a text like "2026-08-20T18:41:07Z"');
    case 'word':
      return raw.type === 'string' ? numberOfWord(form, String(raw.value), what) : wrong('a text');
    case 'object': {
      const nested = reflect(form.type, create(form.type));
      readInto(nested, form.type.fields, { body, raw, what, at });
      return nested;
    }
  }
}

/** An escape can write half a character, which no text of the contract can hold. */
function wellFormed(text: string, field: string, raw: Raw): string {
  return text.isWellFormed() ? text : fail(field, 'holds half of a surrogate pair, which is no character', raw);
}

/** A whole number that its field can hold, out of its text; throws INVALID_REQUEST. */
export function wholeNumber(text: string, bits: 32 | 64, field: string): number | bigint {
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  const fits = bits === 32 ? value === (value | 0) : Number.isSafeInteger(value);
  if (fits) return bits === 32 ? value : BigInt(value);
  throw invalidRequest({ message: `${field} must be a whole number; this is ${text.slice(0, 80)}.`, field });
}

/** A word of an enum; throws INVALID_REQUEST, listing them. */
export function numberOfWord({ type }: Extract<Form, { kind: 'word' }>, text: string, field: string): number {
  const words = wordsOf(type);
  const number = words.find(({ word }) => word === text)?.number;
  if (number !== undefined) return number;
  throw invalidRequest({
    message: `${field} must be one of ${words.map(({ word }) => word).join(', ')}.`,
    field,
    receivedJson: JSON.stringify(text),
    acceptedJson: words.map(({ word }) => JSON.stringify(word)),
  });
}

/** Up to 10,000 years, which is as far as a Duration goes. */
const mostSeconds = 315_576_000_000;

function secondsOf(seconds: number, field: string, raw: Raw) {
  if (Math.abs(seconds) > mostSeconds) fail(field, `must be at most ${mostSeconds}`, raw);
  return reflect(DurationSchema, durationFromMs(Math.ceil(seconds * 1000)));
}

function timeOf(text: string, field: string) {
  try {
    return reflect(TimestampSchema, fromJson(TimestampSchema, text));
  } catch {
    throw invalidRequest({
      message: `${field} must be a time like "2026-08-20T18:41:07Z".`,
      field,
      receivedJson: JSON.stringify(text),
    });
  }
}

function unknown(name: string, what: string, names: readonly string[]): Error {
  return invalidRequest({
    message: `${what} has no field ${JSON.stringify(name)}; ${names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`}.`,
    receivedJson: JSON.stringify(name),
    acceptedJson: names.map((each) => JSON.stringify(each)),
  });
}

function fail(field: string, message: string, raw: Raw): never {
  const short = raw.text.length <= 200 ? raw.text : undefined;
  throw invalidRequest({ message: `${field} ${message}.`, field, receivedJson: short });
}
