/**
 * `npm run generate`: writes what gen/ has of proto/ anew, so that nothing is left of what proto/ no longer says, and the parts
 * of documents that are made from the source.
 */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generatedFolders, generateInto } from './generate-into.ts';

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

// Only now: what documents are made from imports what was just generated.
const { documentsWithParts } = await import('./docs/generated-parts.ts');
for (const { path, old, now } of await documentsWithParts()) if (now !== old) await writeFile(path, now);
