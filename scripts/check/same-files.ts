import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** How the files that are committed differ from those that were generated anew; nothing when they are the same, byte for byte. */
export async function differencesBetween(committed: string, fresh: string): Promise<string[]> {
  const [old, now] = await Promise.all([filesOf(committed), filesOf(fresh)]);
  return [
    ...[...old.keys()].filter((file) => !now.has(file)).map((file) => `${committed}/${file}: no proto makes this file`),
    ...[...now.keys()].filter((file) => !old.has(file)).map((file) => `${committed}/${file}: is missing`),
    ...[...now]
      .filter(([file, text]) => old.has(file) && old.get(file) !== text)
      .map(([file]) => `${committed}/${file}: differs from what is generated`),
  ].sort();
}

async function filesOf(directory: string): Promise<Map<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  // Python keeps what it compiled beside what it read.
  const sources = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.pyc'));
  const files = sources.map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(files.map(async (file) => [relative(directory, file), await readFile(file, 'utf8')] as const)),
  );
}
