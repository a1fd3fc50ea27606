/**
 * A refusal in JSON → ActionableError. The shapes that vendors use: `{"error": "Ticket T-1 is closed."}`,
 * `{"error": "amount_exceeds_limit", "message": …, "field": …, …}`, `{"error": {"code": …, "message": …}}`, and
 * `{"message": …}`. Values inside are kept as the text they were sent as.
 */
import { findNodeAtLocation, getNodeValue, type Node } from 'jsonc-parser';
import type { Effect } from '../domain/action.ts';
import type { ActionableError, Alternative } from '../domain/error.ts';
import type { JsonText } from './json-text.ts';
import { sliceOf, treeOf } from './json-tree.ts';
import { vendorText } from './vendor-text.ts';

/** The `error` of an answer; undefined when it says that there is none: absent, null, false or empty. */
export function errorMember({ value }: JsonText): unknown {
  if (typeof value !== 'object' || value === null || !('error' in value)) return undefined;
  const { error } = value;
  return error === null || error === false || error === '' ? undefined : error;
}

/** The reason in a refusing answer; undefined when there is neither an `error` nor a `message` in it. */
export function vendorError(json: JsonText): ActionableError | undefined {
  const error = errorMember(json);
  const root = treeOf(json.text);
  const fields = fieldsOf(json.text, root);
  if (error === undefined && fields.string('message') === undefined) return undefined;
  const named = typeof error === 'string' && isCode(error) ? error : fields.string('code');
  const code = named === undefined ? 'REFUSED' : vendorText(named, 'code');
  return {
    code,
    message: vendorText(messageOf(error, fields, code), 'message'),
    field: fields.word('field'),
    receivedJson: fields.json('received'),
    limitJson: fields.json('limit'),
    acceptedJson: fields.list('accepted')?.map((node) => sliceOf(json.text, node)),
    effect: effectOf(fields.string('effect')),
    retryable: fields.value('retryable') === true,
    retryAfterSeconds: secondsOf(fields.value('retry_after_seconds') ?? fields.value('retry_after')),
    alternatives: fields.list('alternatives')?.map((node) => alternativeOf(json.text, node)),
  };
}

/** A stable name rather than a sentence: `amount_exceeds_limit`, `INSUFFICIENT_FUNDS`. */
function isCode(text: string): boolean {
  return text.length <= 64 && /^(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)$/.test(text);
}

function messageOf(error: unknown, fields: Fields, code: string): string {
  const message = fields.string('message') ?? '';
  const sentence = typeof error === 'string' && !isCode(error) ? error : '';
  const said = [sentence, message].filter((part) => part !== '').join(' ');
  return said === '' ? `The endpoint refused the call: ${code}.` : said;
}

function effectOf(said: string | undefined): Effect {
  const word = said?.toUpperCase();
  return word === 'UNKNOWN' || word === 'APPLIED' ? word : 'NONE';
}

function secondsOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

interface Fields {
  value(name: string): unknown;
  string(name: string): string | undefined;
  word(name: string): string | undefined;
  json(name: string): string | undefined;
  list(name: string): Node[] | undefined;
}

/** Looks into the `error` object first, if it is one, then beside it. */
function fieldsOf(text: string, root: Node | undefined): Fields {
  const inner = root && findNodeAtLocation(root, ['error']);
  const places = [inner, root].filter((place) => place?.type === 'object');
  const find = (name: string): Node | undefined => {
    for (const place of places) {
      const node = place && findNodeAtLocation(place, [name]);
      if (node !== undefined && node.type !== 'null') return node;
    }
    return undefined;
  };
  const string = (name: string) => {
    const node = find(name);
    return node?.type === 'string' && node.value !== '' ? String(node.value) : undefined;
  };
  return {
    value: (name) => find(name)?.value,
    string,
    word: (name) => {
      const said = string(name);
      return said === undefined ? undefined : vendorText(said, 'word');
    },
    json: (name) => {
      const node = find(name);
      return node && sliceOf(text, node);
    },
    list: (name) => {
      const children = find(name)?.type === 'array' ? find(name)?.children : undefined;
      return children?.length ? children : undefined;
    },
  };
}

function alternativeOf(text: string, node: Node): Alternative {
  if (node.type === 'string') return { action: vendorText(String(node.value), 'word') };
  const own = new Map((node.children ?? []).map((property) => [String(property.children?.[0]?.value), property]));
  const take = (name: string): Node | undefined => {
    const value = own.get(name)?.children?.[1];
    own.delete(name);
    return value;
  };
  const word = (name: string, kind: 'word' | 'message'): string | undefined => {
    const value = take(name);
    return value?.type === 'string' ? vendorText(String(getNodeValue(value)), kind) : undefined;
  };
  const action = word('action', 'word') ?? 'other';
  const tool = word('tool', 'word');
  const description = word('description', 'message');
  const args = take('arguments');
  const rest = [...own.values()].map((property) => sliceOf(text, property));
  return {
    action,
    tool,
    description,
    argumentsJson: args && sliceOf(text, args),
    extraJson: rest.length === 0 ? undefined : `{${rest.join(',')}}`,
  };
}
