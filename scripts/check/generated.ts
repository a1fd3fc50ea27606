import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentsWithParts } from '../docs/generated-parts.ts';
import { generatedFolders, generateInto } from '../generate-into.ts';
import { generatePython, pythonPackagesInstalled } from '../python-packages.ts';
import { differencesBetween } from './same-files.ts';
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
    const packages = await pythonPackagesInstalled();
    const compared = generatedFolders.map((folder) => differencesBetween(folder, join(fresh, folder)));
    const differences = [
      ...(await Promise.all(compared)).flat(),
      ...(packages ? await pythonDifferences(packages) : []),
      ...documents
        .filter(({ old, now }) => old !== now)
        .map(({ path }) => `${path}: differs from what the source says`),
    ];
    const note = packages ? undefined : 'not for Python: its packages are not installed';
    if (differences.length === 0) return { ok: true, output: '', note };
    return { ok: false, output: `${differences.join('\n')}\nRun \`npm run generate\` and commit what it writes.\n` };
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** What is committed for Python and is not what protoc writes now; `packages` as python-packages.ts installs them. */
export async function pythonDifferences(packages: string): Promise<string[]> {
  const fresh = await mkdtemp(join(tmpdir(), 'tether-generated-python-'));
  try {
    const generated = await generatePython(packages, fresh);
    if (!generated.ok) return [generated.output];
    return await differencesBetween('clients/python/src/tether/v1', join(fresh, 'tether/v1'));
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
