import { type DescField, type DescMessage, isMessage, type Message } from '@bufbuild/protobuf';
import type { CallError } from '../domain/error.ts';
import { invalidRequest } from './invalid-request.ts';

/** What of a kind of message can hold messages itself. */
interface Holder {
  /** Where its value is: under the field's own name, or under its oneof's while that is the case. */
  readonly at: string;
  readonly inCase: string | undefined;
  readonly name: string;
  readonly type: DescMessage;
}

/** Looked up once for each kind of message, so that a request without messages in it costs one look. */
const known = new WeakMap<DescMessage, readonly Holder[]>();

function holdersOf(type: DescMessage): readonly Holder[] {
  const found = known.get(type);
  if (found !== undefined) return found;
  const holders = type.fields.flatMap(holderOf);
  known.set(type, holders);
  return holders;
}

function holderOf({ message: type, localName, name, oneof }: DescField): readonly Holder[] {
  if (type === undefined) return [];
  return [{ at: oneof?.localName ?? localName, inCase: oneof && localName, name, type }];
}

/** A field's name, an index into a list, or a key of a map. */
type Path = readonly string[];

/**
 * The refusal of a request that came as bytes with a field that its message does not have, at any depth; undefined for one without.
 * In JSON the readers refuse such a field themselves. What is asked for by it would not be done, and the caller would believe it was.
 * What lies packed in a google.protobuf.Any is not looked into: it has not been read. No request holds a google.protobuf.Struct, of
 * which the library makes plain JSON.
 */
export function unknownFieldIn(type: DescMessage, message: Message, within: Path = []): CallError | undefined {
  const [unknown] = message.$unknown ?? [];
  if (unknown !== undefined) return refusal(type, unknown.no, within);
  for (const holder of holdersOf(type)) {
    const value = heldIn(holder, message);
    const fault = value === undefined ? undefined : inValue(holder.type, value, [...within, holder.name]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function heldIn({ at, inCase }: Holder, message: Message): unknown {
  const value: unknown = Reflect.get(message, at);
  if (inCase === undefined || typeof value !== 'object' || value === null || !('value' in value)) return value;
  return 'case' in value && value.case === inCase ? value.value : undefined;
}

/** A message, a list or a map of them, or nothing. */
function inValue(type: DescMessage, value: unknown, path: Path): CallError | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (isMessage(value)) return unknownFieldIn(type, value, path);
  for (const [step, each] of Object.entries(value)) {
    const fault = inValue(type, each, [...path, step]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function refusal({ typeName, fields }: DescMessage, number: number, within: Path): CallError {
  const place = within.length === 0 ? '' : `, at /${within.join('/')},`;
  const has = fields.map((field) => `${field.name} = ${field.number}`).join(', ') || 'none';
  return invalidRequest({
    message: `${typeName}${place} has no field ${number} at this server; it has ${has}. What the field asks for would be ignored, so nothing was done. The client is newer than this server, or speaks another contract: bring the server up to date, or leave the field out.`,
    field: within.length === 0 ? String(number) : `/${[...within, number].join('/')}`,
    acceptedJson: fields.map(({ name }) => JSON.stringify(name)),
  });
}
