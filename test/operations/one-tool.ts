import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createDatabase } from '../support/database.ts';

/** What a server of this file starts on: a folder of its own with a catalog of one read, and an empty database. */
export async function oneToolOfThisFile(): Promise<{ readonly directory: string; readonly databaseUrl: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'tether-one-tool-'));
  await writeFile(
    join(directory, 'tether.yaml'),
    `{ version: 1, endpoints: { pos: { transport: json, url: "http://127.0.0.1:9" } },
      tools: { get_ticket: { endpoint: pos, description: A ticket., input: { type: object } } } }`,
  );
  const database = await createDatabase({ empty: true });
  afterAll(async () => {
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  });
  return { directory, databaseUrl: database.url };
}
