import { isRecord } from '../../catalog/structure.ts';
import type { Finding, Sampled, Seen } from './seen.ts';
import { wordsOf } from './words.ts';

/** What the lists of an answer leave to guess. */
export function listFindings({ path, name, value, inList }: Seen, answer: unknown, sampled: Sampled): Finding[] {
  if (!Array.isArray(value)) return [];
  const findings: Finding[] = [];
  // A row within a list of rows is told with its list.
  const row: unknown =
    value.find((each) => Array.isArray(each) && each.length > 1) ?? (isMixed(value) && !inList ? value : undefined);
  if (row !== undefined) {
    const message =
      'Its values are told apart by their position, and a reader mixes them up: return objects with named members.';
    findings.push({ rule: 'positional-array', path, message });
  }
  if (path === '') {
    const message =
      'The answer is a bare list, with no room to say how many there are: return an object, like {"items": […], "returned": 20, "truncated": true}.';
    findings.push({ rule: 'bare-list', path, message });
  } else if (isFull(value.length, name, sampled) && !saysMore(answer, path)) {
    const message = `Has ${value.length} items, as many as were asked for or a round number, and nothing says whether there are more: add "truncated".`;
    findings.push({ rule: 'full-page', path, message });
  }
  return findings;
}

/** A row: numbers, texts and the like side by side. */
function isMixed(list: readonly unknown[]): boolean {
  const scalars = list.filter((each) => each !== null && typeof each !== 'object');
  return scalars.length === list.length && new Set(scalars.map((each) => typeof each)).size > 1;
}

const limits = new Set(['limit', 'max', 'top', 'first', 'size', 'take', 'rows', 'results', 'count', 'n']);
const roundSizes = new Set([10, 20, 25, 30, 50, 100, 200, 250, 500, 1000, 5000]);

function isFull(length: number, name: string, { tool, args }: Sampled): boolean {
  const properties = isRecord(tool.input) && isRecord(tool.input.properties) ? tool.input.properties : {};
  const isLimit = (argument: string): boolean =>
    wordsOf(argument).some((word) => limits.has(word)) || wordsOf(argument).join(' ') === `${name} count`;
  const asked = isRecord(args)
    ? Object.entries(args)
        .filter(([argument]) => isLimit(argument))
        .map(([, value]) => value)
    : [];
  const declared = Object.entries(properties).flatMap(([argument, schema]) =>
    isLimit(argument) && isRecord(schema) ? [schema.default, schema.maximum] : [],
  );
  return length > 0 && ([...asked, ...declared].includes(length) || (asked.length === 0 && roundSizes.has(length)));
}

const tellers = new Set(['truncated', 'more', 'next', 'cursor', 'complete', 'total', 'partial', 'remaining']);

/** Whether an object on the way to the list says that there are more, or how many in all. */
function saysMore(answer: unknown, path: string): boolean {
  let at: unknown = answer;
  for (const token of path.split('/').slice(1)) {
    if (isRecord(at) && Object.keys(at).some((name) => wordsOf(name).some((word) => tellers.has(word)))) return true;
    at = isRecord(at)
      ? at[token.replaceAll('~1', '/').replaceAll('~0', '~')]
      : Array.isArray(at)
        ? at[Number(token)]
        : undefined;
  }
  return false;
}
