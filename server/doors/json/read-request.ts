import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { invalidRequest } from '../invalid-request.ts';
import { nameOf } from './field-form.ts';
import { readMessage } from './read-message.ts';
import { parametersOf, readQuery } from './read-query.ts';
import type { Match, Route } from './route.ts';

/** What a plain HTTP request says, apart from who says it. */
export interface Said {
  readonly query: string;
  readonly body: string;
  /** The Idempotency-Key header, as often as it came. */
  readonly keys: readonly string[];
}

export const keyHeader = 'Idempotency-Key';

/** The contract's request that a plain one means. Throws INVALID_REQUEST. */
export function readRequest({ route, parameter }: Match, { query, body, keys }: Said): Message {
  const schema = route.method.input;
  const bound = boundBy(route, parameter);
  if (route.verb === 'GET') return readQuery(schema, parametersOf(schema, without(route)), parametersIn(query), bound);
  if (query !== '')
    throw invalidRequest({ message: 'This path takes no query: what it needs goes into the body.', field: 'query' });
  const message = readMessage(schema, body, bound);
  const [key] = keys;
  if (key === undefined || route.keyField === undefined) return message;
  if (keys.length > 1) throw repeatedKey(keys);
  putKey(schema, message, route.keyField, key);
  return message;
}

/** Which fields of the contract a route does not take from query or body. */
export function without({ pathField, without: left = [] }: Route): (field: string) => boolean {
  return (name) => name === pathField || left.includes(name);
}

/** URLSearchParams puts a replacement for what is no UTF-8: another key than was meant would be looked up. */
function parametersIn(query: string): URLSearchParams {
  try {
    decodeURIComponent(query);
  } catch {
    throw invalidRequest({ message: 'The query is not percent-encoded UTF-8.', field: 'query' });
  }
  return new URLSearchParams(query);
}

function boundBy({ pathField }: Route, parameter: string | undefined): ReadonlyMap<string, string> {
  if (pathField === undefined) return new Map();
  if (parameter === undefined)
    throw invalidRequest({ message: 'The path is not percent-encoded UTF-8.', field: 'path' });
  return new Map([[pathField, parameter]]);
}

/** The header says what the body may say; both may, if they say the same. */
function putKey(schema: DescMessage, message: Message, name: string, key: string): void {
  const field = schema.fields.find((each) => each.name === name);
  if (field === undefined) throw new Error(`${schema.typeName} has no ${name}`);
  if (key === '' || /[^\x20-\x7e]/.test(key))
    throw invalidRequest({
      message: `The header ${keyHeader} must be visible ASCII: 1 to 256 characters.`,
      field: keyHeader,
    });
  const target = reflect(schema, message);
  const said: unknown = target.get(field);
  if (target.isSet(field) && said !== key) throw twoKeys(field, key, String(said));
  target.set(field, key);
}

/** Joined, as servers do it otherwise, they would be a key that nobody chose, and that nobody finds again. */
function repeatedKey(keys: readonly string[]): Error {
  return invalidRequest({
    message: `The header ${keyHeader} came ${keys.length} times: send it once.`,
    field: keyHeader,
    receivedJson: JSON.stringify(keys),
  });
}

function twoKeys(field: DescField, header: string, body: string): Error {
  return invalidRequest({
    message: `The header ${keyHeader} and the body's ${nameOf(field)} differ: send one of them, or the same in both.`,
    field: nameOf(field),
    receivedJson: JSON.stringify(body),
    acceptedJson: [JSON.stringify(header)],
  });
}
