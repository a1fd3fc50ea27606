import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { play, transcript } from '../harness/play.ts';

vi.setConfig({ testTimeout: 120_000 });

const program = join(import.meta.dirname, 'node-harness.ts');

test.each(['connect', 'grpc'])('the harness in TypeScript on Node, by %s, prints the transcript', async (protocol) => {
  expect(await play({ command: process.execPath, args: [program, protocol] })).toBe(transcript);
});
