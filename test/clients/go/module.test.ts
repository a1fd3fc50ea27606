import { expect, test } from 'vitest';
import { toolchain } from '../toolchain.ts';
import { go, goRuns } from './go.ts';

test.runIf(await toolchain('go', ['version']))('go vet finds nothing in the Go module', goRuns, async () => {
  expect(await go(['vet', './...'])).toBe('');
});
