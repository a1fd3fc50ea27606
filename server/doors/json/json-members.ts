import { type Node, parseTree } from 'jsonc-parser';
import { invalidRequest } from '../invalid-request.ts';

/** A value in a body: where it stands, and what kind of value it is. */
export interface Raw {
  /** As it was sent: number spellings, repeated keys and spaces included. */
  readonly text: string;
  readonly type: Node['type'];
  /** Of a text, number, truth value or null: what it says. */
  readonly value: unknown;
  readonly node: Node;
}

/** Reads a body as one JSON value; throws INVALID_REQUEST for what is none. An empty body means `{}`. */
export function rawOf(body: string): Raw {
  const text = body.trim() === '' ? '{}' : body;
  const root = parse(text);
  return rawAt(text, root);
}

/** The members of an object; throws INVALID_REQUEST for another value, and for a key that comes twice. */
export function membersOf(text: string, raw: Raw, what: string): ReadonlyMap<string, Raw> {
  if (raw.type !== 'object')
    throw invalidRequest({ message: `${what} must be a JSON object, like {"key": "value"}; this is ${kindOf(raw)}.` });
  const members = new Map<string, Raw>();
  for (const { children: [name, value] = [] } of raw.node.children ?? []) {
    if (name === undefined || value === undefined) continue;
    const key = String(name.value);
    if (members.has(key))
      throw invalidRequest({ message: `${what} has ${JSON.stringify(key)} twice: say it once.`, field: key });
    members.set(key, rawAt(text, value));
  }
  return members;
}

/** The items of a list, or undefined for another value. */
export function itemsOf(text: string, { node }: Raw): readonly Raw[] | undefined {
  return node.type === 'array' ? (node.children ?? []).map((each) => rawAt(text, each)) : undefined;
}

/** What a value is, in words. */
export function kindOf({ type }: Raw): string {
  return type === 'null' ? 'null' : `${type === 'array' || type === 'object' ? 'an' : 'a'} ${type}`;
}

function rawAt(text: string, node: Node): Raw {
  return { text: text.slice(node.offset, node.offset + node.length), type: node.type, value: node.value, node };
}

/** JSON.parse decides what is JSON; the tree only says where everything stands. */
function parse(text: string): Node {
  try {
    JSON.parse(text);
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it does not parse';
    throw invalidRequest({ message: `The body is not JSON: ${why}.` });
  }
  let root: Node | undefined;
  try {
    root = parseTree(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  if (root === undefined) throw invalidRequest({ message: 'The body is nested too deeply to be read.' });
  return root;
}
