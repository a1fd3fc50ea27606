import { expect, test } from 'vitest';
import { play, transcript } from '../harness/play.ts';
import { toolchain } from '../toolchain.ts';
import { goRuns, module } from './go.ts';

test.runIf(await toolchain('go', ['version']))('the harness in Go prints the transcript', goRuns, async () => {
  expect(await play({ command: 'go', args: ['run', './examples/harness'], cwd: module })).toBe(transcript);
});
