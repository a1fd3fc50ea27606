import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Node itself runs the tests, as it runs the server: what only a bundler accepts must fail here too.
    experimental: { viteModuleRunner: false },
    pool: 'forks',
    // Most tests wait for a database or a socket, so two files at once help even on the smallest machine.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
  },
});
