import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { play, transcript, withHarness } from './play.ts';

vi.setConfig({ testTimeout: 120_000 });

test('a program with generated code alone, over gRPC, prints the transcript', async () => {
  const program = { command: process.execPath, args: [join(import.meta.dirname, 'bare.ts')] };
  expect(await play(program)).toBe(transcript);
});

test('a program that ends otherwise than with 0 fails, with what it said', async () => {
  const program = { command: process.execPath, args: ['-e', 'console.error("no such door"); process.exit(3)'] };
  await withHarness(({ run }) => expect(run(program)).rejects.toThrow(/ended with 3: no such door/));
});
