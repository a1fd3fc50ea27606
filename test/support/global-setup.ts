/**
 * One real PostgreSQL for a whole run of the tests: started in a temporary directory, or the one that TEST_DATABASE_URL names;
 * with a migrated template database that `createDatabase` clones for each test file.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrateAll } from '../../server/prepare-schema.ts';
import { startEmbedded } from '../../server/store/embedded/embedded.ts';
import { administer, createDatabaseNamed, template, urlOf } from './database-server.ts';
import { type TestServer, useExternal } from './external-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a database on the test server which no test uses; others are made beside it. */
    databaseServer: string;
    /** The same, as the role that a server runs as, which owns nothing. */
    databaseServerAsApp: string;
  }
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { TEST_DATABASE_URL: external = '' } = process.env;
  const server = external === '' ? await startOwn() : await useExternal(external);
  await createDatabaseNamed(server.ownerUrl, template, 'template0');
  await migrateAll({ url: urlOf(server.url, template), ownerUrl: urlOf(server.ownerUrl, template) }, silent);
  // A database that is connected to cannot be cloned; this keeps autovacuum out too.
  await administer(server.ownerUrl, `alter database ${template} allow_connections false`);
  project.provide('databaseServer', server.ownerUrl);
  project.provide('databaseServerAsApp', server.url);
  return () => server.stop();
}

async function startOwn(): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tether-test-'));
  cleanUpAfterDeath(dataDir);
  // Nothing here has to survive a power failure.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    shared_buffers: '32MB',
    max_connections: '200',
  };
  const { url, ownerUrl, stop } = await startEmbedded({ dataDir, settings });
  return {
    url: plain(url),
    ownerUrl: plain(ownerUrl),
    async stop() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Without parameters, as an operator's; and other languages' drivers know others. */
function plain(text: string): string {
  const url = new URL(text);
  url.search = '';
  return url.href;
}

/** An embedded PostgreSQL outlives its process, which is what the server wants and an interrupted run of tests does not. */
function cleanUpAfterDeath(dataDir: string): void {
  const script = `
    cat # ends when we do
    pid_file="$0/postgres/data/postmaster.pid"
    kill -QUIT "$(head -n 1 "$pid_file")"
    while [ -e "$pid_file" ]; do sleep 0.1; done
    rm -rf "$0"`;
  const guard = spawn('sh', ['-c', script, dataDir], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  guard.unref();
  // The pipe is open for as long as this process lives, and must not keep it alive.
  if (guard.stdin !== null && 'unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
}
