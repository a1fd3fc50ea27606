import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { documentsWithParts } from '../docs/generated-parts.ts';
import { generatedFolders, generateInto } from '../generate-into.ts';
import type { Verdict } from './step.ts';

/**
 * The committed code is what buf generates now, no file more and no file less, and what documents show of the source is what it
 * says now. Leaves the tree as it is.
 */
export async function generatedIsCurrent(): Promise<Verdict> {
  const fresh = await mkdtemp(join(tmpdir(), 'tether-generated-'));
  try {
    const generated = await generateInto(fresh);
    if (!generated.ok) return generated;
    const documents = await documentsWithParts();
    const compared = generatedFolders.map((folder) => compare(folder, join(fresh, folder)));
    const differences = [
      ...(await Promise.all(compared)).flat(),
      ...documents
        .filter(({ old, now }) => old !== now)
        .map(({ path }) => `${path}: differs from what the source says`),
    ];
    if (differences.length === 0) return { ok: true, output: '' };
    return { ok: false, output: `${differences.join('\n')}\nRun \`npm run generate\` and commit what it writes.\n` };
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function compare(committed: string, fresh: string): Promise<string[]> {
  const [old, now] = await Promise.all([filesOf(committed), filesOf(fresh)]);
  return [
    ...[...old.keys()].filter((file) => !now.has(file)).map((file) => `${committed}/${file}: no proto makes this file`),
    ...[...now.keys()].filter((file) => !old.has(file)).map((file) => `${committed}/${file}: is missing`),
    ...[...now]
      .filter(([file, text]) => old.has(file) && old.get(file) !== text)
      .map(([file]) => `${committed}/${file}: differs from what buf generates`),
  ].sort();
}

async function filesOf(directory: string): Promise<Map<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(files.map(async (file) => [relative(directory, file), await readFile(file, 'utf8')] as const)),
  );
}
