/**
 * `npm run generate`: writes what gen/ has of proto/ anew, so that nothing is left of what proto/ no longer says, the same for
 * clients/python where there is a Python, and the parts of documents that are made from the source.
 */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generatedFolders, generateInto } from './generate-into.ts';
import { generatePython, installPythonPackages, pythonPackagesInstalled } from './python-packages.ts';

const fresh = await mkdtemp(join(tmpdir(), 'tether-generate-'));
try {
  const { ok, output } = await generateInto(fresh);
  process.stdout.write(output);
  if (ok) {
    for (const folder of generatedFolders) {
      await rm(folder, { recursive: true, force: true });
      await cp(join(fresh, folder), folder, { recursive: true });
    }
  } else {
    process.exitCode = 1;
  }
} finally {
  await rm(fresh, { recursive: true, force: true });
}

if ((await pythonPackagesInstalled()) === undefined) {
  console.warn(
    'clients/python/src/tether/v1 is left as it is: that takes a python3 of 3.10 or newer, with pip and venv',
  );
} else {
  const { ok, output } = await generatePython(await installPythonPackages(), 'clients/python/src');
  process.stdout.write(output);
  if (!ok) process.exitCode = 1;
}

// Only now: what documents are made from imports what was just generated.
const { documentsWithParts } = await import('./docs/generated-parts.ts');
for (const { path, old, now } of await documentsWithParts()) if (now !== old) await writeFile(path, now);
