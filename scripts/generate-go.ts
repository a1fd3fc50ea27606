/**
 * `npm run generate` ends with this: writes the generated code of clients/go anew, by its own buf.gen.yaml and by the plugins that
 * clients/go/tools pins. Where Go is not installed it says so and leaves that code as it is; `npm run check` says where it is stale.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goInto, goIsHere } from './generate-go-into.ts';

if (await goIsHere()) await generate();
else console.log('clients/go/gen is left as it is: Go is not installed here');

async function generate(): Promise<void> {
  const fresh = await mkdtemp(join(tmpdir(), 'tether-generate-go-'));
  try {
    const { ok, output } = await goInto(fresh);
    process.stdout.write(output);
    if (ok) {
      await rm('clients/go/gen', { recursive: true, force: true });
      await cp(join(fresh, 'clients/go/gen'), 'clients/go/gen', { recursive: true });
    } else {
      process.exitCode = 1;
    }
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
