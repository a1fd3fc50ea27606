import { findNodeAtLocation, getNodeValue, parseTree } from 'jsonc-parser';
import { NotKept, saidOf } from './check.ts';
import type { Answer } from './contract/answer.ts';

/** The number in an answer of --count-read: a number, or the length of a list. @throws NotKept when there is none. */
export function countIn(answer: Answer, pointer: string): number {
  if (answer.kind !== 'result')
    throw new NotKept(`--count-read was to be answered with a result, and ${saidOf(answer)}.`);
  const tree = parseTree(answer.json);
  const path = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const node = tree && findNodeAtLocation(tree, tree.type === 'array' ? path.map(Number) : path);
  if (node?.type === 'array') return node.children?.length ?? 0;
  if (node?.type === 'number') return Number(getNodeValue(node));
  throw new NotKept(
    `There is neither a number nor a list at ${JSON.stringify(pointer)} in the answer of --count-read.`,
  );
}
