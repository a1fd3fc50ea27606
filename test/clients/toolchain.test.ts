import { afterEach, expect, test, vi } from 'vitest';
import { toolchain } from './toolchain.ts';

afterEach(() => vi.unstubAllEnvs());

test('a toolchain that is there is used, and one that is missing is done without', async () => {
  vi.stubEnv('REQUIRE_TOOLCHAINS', '');
  expect(await toolchain('node')).toBe(true);
  expect(await toolchain('no-such-compiler')).toBe(false);
  expect(await toolchain('node', ['-e', 'process.exit(1)'])).toBe(false);
});

test('where toolchains are required, a missing one is no reason to skip', async () => {
  vi.stubEnv('REQUIRE_TOOLCHAINS', '1');
  expect(await toolchain('no-such-compiler')).toBe(true);
});
