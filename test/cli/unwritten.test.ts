import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/** A disk that is full. */
const full = '/dev/full';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.query(`insert into tenant (id) values ('acme')`);
  await database.query(
    `insert into event (action_id, version, tenant_id, type, to_state, effect, preview_digest, note, at)
     values (gen_random_uuid(), 1, 'acme', 'STAGED', 'PENDING', 'NONE', 'sha256:0', '""', now())`,
  );
});
afterAll(() => database.drop());

test
  .runIf(existsSync(full))
  .for([
    ['audit', '--tenant', 'acme'],
    ['keys', 'list', '--tenant', 'acme'],
    ['keys', 'list', '--tenant', 'acme', '--json'],
    ['config'],
  ])('%o that cannot be written down says so in words, and is no success', async (args) => {
  const fd = openSync(full, 'w');
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, ['server/cli/main.ts', ...args], {
    env: { PATH, DATABASE_URL: database.appUrl },
    stdio: ['ignore', fd, 'pipe'],
  });
  closeSync(fd);
  if (child.stderr === null) throw new Error('stderr is a pipe');
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect({ err, code }).toEqual({ err: 'Not all that was to be told could be written (ENOSPC).\n', code: 1 });
});
