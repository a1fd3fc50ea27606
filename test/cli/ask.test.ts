import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { saidYes } from '../../server/cli/actions/ask.ts';

/** What comes of a question when this is typed into a terminal, or into a pipe. */
async function asked(typed: string, { isTerminal, ends = false }: { isTerminal: boolean; ends?: boolean }) {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { isTTY: isTerminal });
  const said = saidYes('Confirm this? ', { input, output });
  if (ends) input.end(typed);
  else input.write(typed);
  return said;
}

test.for(['yes\n', 'YES\r', ' Yes \n'])('%j is a yes', async (typed) => {
  expect(await asked(typed, { isTerminal: true })).toBe(true);
});

test.for([
  ['no', 'no\n'],
  ['nothing', '\n'],
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
  ['Ctrl-C in the middle of a yes', 'ye\x03'],
] as const)('%s is no yes, and no error either', async ([, typed]) => {
  expect(await asked(typed, { isTerminal: true })).toBe(false);
});

test('input that ends before it says anything is no yes, and no error either', async () => {
  expect(await asked('', { isTerminal: false, ends: true })).toBe(false);
  expect(await asked('', { isTerminal: true, ends: true })).toBe(false);
});
