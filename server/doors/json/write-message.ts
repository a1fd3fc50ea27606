import { type DescEnum, type DescField, type DescMessage, isMessage, type MessageShape } from '@bufbuild/protobuf';
import { isReflectList, isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import type { Duration, Timestamp } from '@bufbuild/protobuf/wkt';
import { durationMs, timestampDate } from '@bufbuild/protobuf/wkt';
import { ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { formOf, nameOf, wordsOf } from './field-form.ts';
import { listText, type Member, objectText } from './json-text.ts';
import { inOurWords } from './own-words.ts';

/** A message of the contract as the JSON door says it. */
export function writeMessage<D extends DescMessage>(schema: D, message: MessageShape<D>): string {
  return objectText(membersOf(schema, message));
}

/** The same, member by member. What is empty or unset is left out; a number, truth value or list always stands there. */
export function membersOf<D extends DescMessage>(schema: D, message: MessageShape<D>): readonly Member[] {
  return members(reflect(schema, message));
}

function members(said: ReflectMessage): readonly Member[] {
  const message = isMessage(said.message, ActionableErrorSchema)
    ? reflect(ActionableErrorSchema, inOurWords(said.message))
    : said;
  return message.fields.map((field) => [nameOf(field), textOf(message, field)] as const);
}

function textOf(message: ReflectMessage, field: DescField): string | undefined {
  if (!message.isSet(field) && !standsEmpty(field)) return undefined;
  const value: unknown = message.get(field);
  return isReflectList(value) ? listText([...value].map((item) => valueText(field, item))) : valueText(field, value);
}

/**
 * A replay is the ordinary body with `idempotentReplay: true` beside it, so that a first answer says nothing of it; an error
 * says only what it has to say.
 */
function standsEmpty(field: DescField): boolean {
  if (field.fieldKind === 'list') return field.parent !== ActionableErrorSchema;
  if (field.fieldKind !== 'scalar' || field.oneof !== undefined || field.name === 'idempotent_replay') return false;
  const { kind } = formOf(field);
  return kind === 'boolean' || kind === 'number';
}

function valueText(field: DescField, value: unknown): string {
  const form = formOf(field);
  const plain = isReflectMessage(value) ? value.message : value;
  switch (form.kind) {
    case 'json':
      return String(value);
    case 'text':
      return JSON.stringify(value);
    case 'boolean':
    case 'number':
      return String(value);
    case 'time':
      return JSON.stringify(timestampDate(plain as Timestamp).toISOString());
    case 'seconds':
      return String(durationMs(plain as Duration) / 1000);
    case 'word':
      return writeWord(form.type, value);
    case 'object':
      if (!isReflectMessage(value)) throw new Error(`${field.name} holds no message`);
      return objectText(members(value));
  }
}

/** A value of an enum, as its word. */
export function writeWord(type: DescEnum, value: unknown): string {
  const word = wordsOf(type).find(({ number }) => number === value)?.word;
  if (word === undefined) throw new Error(`${type.typeName} has no ${value}`);
  return JSON.stringify(word);
}
