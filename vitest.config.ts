import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Node itself runs the tests, as it runs the server: what only a bundler accepts must fail here too.
    experimental: { viteModuleRunner: false },
    pool: 'forks',
    // Each worker reads the server and its libraries once, not once per file: half of the time of most files was that. Nothing
    // here keeps state in modules; `npm test -- --isolate` shows whether something does.
    isolate: false,
    // Most tests wait for a database or a socket, so two files at once help even on the smallest machine.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
  },
});
