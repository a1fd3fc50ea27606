import { expect, test } from 'vitest';
import { createDatabase } from '../../support/database.ts';
import { toolchain } from '../toolchain.ts';
import { goRuns, goTest } from './go.ts';

test.runIf(await toolchain('go', ['version']))(
  'vendors in Go do each write once, by their own database',
  goRuns,
  async () => {
    const database = await createDatabase({ empty: true });
    try {
      const { passed } = await goTest('./endpoint/...', { HARNESS_DATABASE_URL: database.url });
      expect(passed).toBeGreaterThan(10);
    } finally {
      await database.drop();
    }
  },
);
