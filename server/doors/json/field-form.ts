import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';

/** What a value of a field is in the JSON door's bodies. */
export type Form =
  /** A text. */
  | { readonly kind: 'text' }
  /** Any JSON, which the contract holds as text: it passes through byte for byte. */
  | { readonly kind: 'json' }
  | { readonly kind: 'boolean' }
  /** A whole number. */
  | { readonly kind: 'number'; readonly bits: 32 | 64 }
  /** RFC 3339, in UTC. */
  | { readonly kind: 'time' }
  /** A number of seconds. */
  | { readonly kind: 'seconds' }
  /** One of the enum's words, in upper case, without the enum's name before it. */
  | { readonly kind: 'word'; readonly type: DescEnum }
  | { readonly kind: 'object'; readonly type: DescMessage };

/** The text for a transcript: its bytes matter, so that it stays a text, though it is JSON. */
const transcriptText = 'model_json';

/**
 * A field's name: camelCase; `arguments` for `arguments_json`, whose value stands there as JSON; `ttlSeconds` for the duration
 * `ttl`.
 */
export function nameOf(field: DescField): string {
  if (field.name === transcriptText) return 'modelText';
  switch (formOf(field).kind) {
    case 'json':
      return field.jsonName.slice(0, -'Json'.length);
    case 'seconds':
      return `${field.jsonName}Seconds`;
    default:
      return field.jsonName;
  }
}

/** The form of a field's value; of a list, that of its items. */
export function formOf(field: DescField): Form {
  const { message, enum: type, scalar } = field;
  if (message?.typeName === 'google.protobuf.Timestamp') return { kind: 'time' };
  if (message?.typeName === 'google.protobuf.Duration') return { kind: 'seconds' };
  if (message !== undefined) return { kind: 'object', type: message };
  if (type !== undefined) return { kind: 'word', type };
  switch (scalar) {
    case ScalarType.STRING:
      return { kind: field.name.endsWith('_json') && field.name !== transcriptText ? 'json' : 'text' };
    case ScalarType.BOOL:
      return { kind: 'boolean' };
    case ScalarType.INT32:
      return { kind: 'number', bits: 32 };
    case ScalarType.INT64:
      return { kind: 'number', bits: 64 };
    default:
      throw new Error(`the JSON door has no form for ${field.parent.typeName}.${field.name}`);
  }
}

/** The words of an enum, without the one that says nothing. */
export function wordsOf(type: DescEnum): readonly { readonly word: string; readonly number: number }[] {
  return type.values
    .filter(({ number }) => number !== 0)
    .map(({ name, number }) => ({ word: wordOf(type, name), number }));
}

function wordOf({ sharedPrefix = '' }: DescEnum, name: string): string {
  return name.slice(sharedPrefix.length);
}
