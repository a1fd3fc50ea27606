/**
 * One real PostgreSQL for a whole run of the tests: started in a temporary directory, with a migrated template database
 * that `createDatabase` clones for each test file.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../../server/store/embedded/embedded.ts';
import { migrate } from '../../server/store/migrate.ts';
import { administer, createDatabaseNamed, template, urlOf } from './database-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the test server's database `tether`, which no test uses; others are made beside it. */
    databaseServer: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tether-test-'));
  // Nothing here has to survive a power failure.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    shared_buffers: '32MB',
    max_connections: '200',
  };
  const server = await startEmbedded({ dataDir, settings });
  await createDatabaseNamed(server.url, template, 'template0');
  await migrate(urlOf(server.url, template));
  // A database that is connected to cannot be cloned; this keeps autovacuum out too.
  await administer(server.url, `alter database ${template} allow_connections false`);
  project.provide('databaseServer', server.url);
  return async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
