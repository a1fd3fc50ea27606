import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import type { Disposition, Refusal, Said } from '../contract/answer.ts';

const dispositions: readonly string[] = ['executed', 'not_executed', 'in_progress', 'unknown'];

/** A value, or undefined for what is no JSON. */
export function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The `error` and `message` of an answer, in the shapes that Tether reads; undefined when it has neither. */
export function refusalIn(value: unknown): Refusal | undefined {
  const { error, message, code, effect } = membersOf(value);
  const inner = membersOf(error);
  const nothing = error === undefined || error === null || error === false || error === '';
  if (nothing && (typeof message !== 'string' || message === '')) return undefined;
  const named = typeof error === 'string' && isCode(error) ? error : (inner.code ?? code);
  const sentence = typeof error === 'string' && !isCode(error) ? error : (inner.message ?? message);
  return {
    code: typeof named === 'string' && named !== '' ? named : undefined,
    message: typeof sentence === 'string' && sentence !== '' ? sentence : undefined,
    effect: effectOf(inner.effect ?? effect),
  };
}

/** A 2xx, as what a call is answered with. */
export function resultSaid(text: string): Said {
  const json = parsed(text);
  if (json === undefined) return { kind: 'unreadable', why: 'the body is no JSON' };
  const { error } = membersOf(json.value);
  const none = error === undefined || error === null || error === false || error === '';
  const refusal = none ? undefined : refusalIn(json.value);
  return refusal === undefined ? { kind: 'result', json: text } : { kind: 'refused', refusal };
}

/** A 2xx, as what a probe is answered with. */
export function dispositionSaid(text: string): Said {
  const { disposition, error } = membersOf(parsed(text)?.value);
  if (typeof disposition !== 'string' || !isDisposition(disposition)) {
    return { kind: 'unreadable', why: `there is no \`disposition\` of ${dispositions.join(', ')} in it` };
  }
  if (error) return { kind: 'unreadable', why: 'an `error` stands beside the `disposition`' };
  const tree = parseTree(text);
  const node = tree && findNodeAtLocation(tree, ['result']);
  return { kind: 'probed', disposition, result: node && text.slice(node.offset, node.offset + node.length) };
}

function isDisposition(word: string): word is Disposition {
  return dispositions.includes(word);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** A stable name rather than a sentence. */
function isCode(text: string): boolean {
  return text.length <= 64 && /^[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*$/.test(text);
}

function effectOf(said: unknown): Refusal['effect'] {
  const word = typeof said === 'string' ? said.toLowerCase() : '';
  return word === 'unknown' || word === 'applied' ? word : 'none';
}
