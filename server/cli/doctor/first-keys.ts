/** The keys of the first start, which are for trying out and lie in a file. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { DatabasePlace } from '../../prepare-schema.ts';
import { openStore } from '../../store/open.ts';
import { type Finding, ok, warn } from './finding.ts';

const check = 'first-keys';

export async function checkFirstKeys({ dataDir }: Config, { url }: DatabasePlace): Promise<Finding[]> {
  const path = join(dataDir, 'keys.json');
  const keys = await keysIn(path);
  if (keys === undefined) return [ok(check, 'no keys of a first start lie around')];
  const store = await openStore({ url, poolSize: 1 });
  try {
    const good: string[] = [];
    for (const [role, key] of keys) if ((await store.credentials.authenticate(key)) !== undefined) good.push(role);
    if (good.length === 0)
      return [ok(check, `${path} is left of a first start, and none of its keys is good any more`)];
    const message = `${path} holds keys in plain text that are still good: ${good.join(', ')}`;
    return [
      warn(check, message, 'once other keys are handed out, revoke these ("tether keys revoke") and delete the file'),
    ];
  } finally {
    await store.close();
  }
}

/** Role and key; undefined when there is no such file. */
async function keysIn(path: string): Promise<[role: string, key: string][] | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([role, key]) =>
      role !== 'tenant' && typeof key === 'string' ? [[role, key] as [string, string]] : [],
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    return [];
  }
}
