/** `npm run generate`: writes gen/tether anew from proto/, so that nothing is left of what proto/ no longer says. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateInto } from './generate-into.ts';

const fresh = await mkdtemp(join(tmpdir(), 'tether-generate-'));
try {
  const { ok, output } = await generateInto(fresh);
  process.stdout.write(output);
  if (ok) {
    await rm('gen/tether', { recursive: true, force: true });
    await cp(join(fresh, 'gen', 'tether'), 'gen/tether', { recursive: true });
  } else {
    process.exitCode = 1;
  }
} finally {
  await rm(fresh, { recursive: true, force: true });
}
