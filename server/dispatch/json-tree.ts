import { type Node, parseTree } from 'jsonc-parser';
import type { JsonText } from './json-text.ts';

/** Where everything stands in a JSON text; undefined when it is nested more deeply than the parser can go. */
export function treeOf(text: string): Node | undefined {
  try {
    return parseTree(text);
  } catch {
    return undefined;
  }
}

/** A value as the text it was sent as. */
export function sliceOf(text: string, { offset, length }: Node): string {
  return text.slice(offset, offset + length).toWellFormed();
}

/**
 * The members of an object, each as the text it was sent as. Undefined for what is no object, and for one that says a thing
 * twice: two readers could then read two answers.
 */
export function membersOf({ text }: JsonText): ReadonlyMap<string, string> | undefined {
  const root = treeOf(text);
  if (root?.type !== 'object') return undefined;
  const properties = root.children ?? [];
  const members = new Map<string, string>();
  for (const { children: [name, value] = [] } of properties) {
    if (name !== undefined && value !== undefined) members.set(String(name.value), sliceOf(text, value));
  }
  return members.size === properties.length ? members : undefined;
}
