/**
 * `npm run generate`: writes gen/tether anew from proto/, so that nothing is left of what proto/ no longer says, and the
 * OpenAPI document after it.
 */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiFile } from './check/openapi.ts';
import { execute } from './check/step.ts';
import { generateInto } from './generate-into.ts';

const fresh = await mkdtemp(join(tmpdir(), 'tether-generate-'));
try {
  const { ok, output } = await generateInto(fresh);
  process.stdout.write(output);
  if (ok) {
    await rm('gen/tether', { recursive: true, force: true });
    await cp(join(fresh, 'gen', 'tether'), 'gen/tether', { recursive: true });
    // A process of its own, so that it sees the code that was just written.
    const { ok, output } = await execute(process.execPath, ['scripts/generate-openapi.ts']);
    if (ok) await writeFile(openApiFile, output);
    else process.stderr.write(output);
    process.exitCode = ok ? 0 : 1;
  } else {
    process.exitCode = 1;
  }
} finally {
  await rm(fresh, { recursive: true, force: true });
}
