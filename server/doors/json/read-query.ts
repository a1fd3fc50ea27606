import { create, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf';
import { isReflectList, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { invalidRequest } from '../invalid-request.ts';
import { formOf, nameOf } from './field-form.ts';
import { type Bound, numberOfWord, wholeNumber } from './read-message.ts';

/** A parameter of a query: the field it fills, and the message's field that holds that one, if it lies deeper. */
export interface Parameter {
  readonly name: string;
  readonly field: DescField;
  readonly within?: DescField;
}

/** What a request takes in a query: its fields, and those of the messages in it, side by side. */
export function parametersOf(schema: DescMessage, except: (field: string) => boolean): readonly Parameter[] {
  return schema.fields
    .filter(({ name }) => !except(name))
    .flatMap((field): Parameter[] => {
      const form = formOf(field);
      if (form.kind !== 'object') return [{ name: nameOf(field), field }];
      return form.type.fields.map((inner) => ({ name: nameOf(inner), field: inner, within: field }));
    });
}

/**
 * A request of the contract out of a query: every parameter must be known, and come once unless it is a list. Throws
 * INVALID_REQUEST, naming what is accepted.
 */
export function readQuery(
  schema: DescMessage,
  parameters: readonly Parameter[],
  query: URLSearchParams,
  bound: Bound,
): Message {
  const message = create(schema);
  const target = reflect(schema, message);
  for (const field of schema.fields) {
    const value = bound.get(field.name);
    if (value !== undefined) target.set(field, value);
  }
  for (const name of new Set(query.keys())) {
    const parameter = parameters.find((each) => each.name === name);
    if (parameter === undefined) throw unknown(name, parameters);
    const values = query.getAll(name);
    if (values.length > 1 && parameter.field.fieldKind !== 'list')
      throw invalidRequest({ message: `${name} is in the query ${values.length} times: say it once.`, field: name });
    for (const value of values) put(holderOf(target, parameter), parameter, value);
  }
  return message;
}

/** The message that the parameter's field belongs to, made when it is needed first. */
function holderOf(target: ReflectMessage, { within }: Parameter): ReflectMessage {
  if (within === undefined) return target;
  const form = formOf(within);
  if (form.kind !== 'object' || within.fieldKind !== 'message') throw new Error(`${within.name} is no message`);
  if (!target.isSet(within)) target.set(within, reflect(form.type, create(form.type)));
  return target.get(within);
}

function put(holder: ReflectMessage, { name, field }: Parameter, text: string): void {
  const value = valueIn(field, text, name);
  if (field.oneof !== undefined && holder.oneofCase(field.oneof) !== undefined)
    throw invalidRequest({
      message: `There is another key beside ${name} in the query: say one of them.`,
      field: name,
    });
  if (field.fieldKind !== 'list') {
    holder.set(field, value);
    return;
  }
  const list: unknown = holder.get(field);
  if (isReflectList(list)) list.add(value);
}

function valueIn(field: DescField, text: string, name: string): unknown {
  const form = formOf(field);
  switch (form.kind) {
    case 'text':
      return text;
    case 'boolean':
      if (text === 'true' || text === 'false') return text === 'true';
      throw invalidRequest({
        message: `${name} must be true or false.`,
        field: name,
        receivedJson: JSON.stringify(text),
        acceptedJson: ['true', 'false'],
      });
    case 'number':
      return wholeNumber(text, form.bits, name);
    case 'word':
      return numberOfWord(form, text, name);
    default:
      throw new Error(`no query can say ${field.name}`);
  }
}

function unknown(name: string, parameters: readonly Parameter[]): Error {
  const names = parameters.map((each) => each.name);
  return invalidRequest({
    message: `There is no parameter ${JSON.stringify(name)} here; ${names.length === 0 ? 'there is none' : `there are ${names.join(', ')}`}.`,
    receivedJson: JSON.stringify(name),
    acceptedJson: names.map((each) => JSON.stringify(each)),
  });
}
