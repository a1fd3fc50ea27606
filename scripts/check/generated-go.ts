import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goInto, goIsHere } from '../generate-go-into.ts';
import { differencesBetween } from './same-files.ts';
import { execute, type Verdict } from './step.ts';

/** The committed Go code is what buf generates now, and what is written by hand beside it is in gofmt's form. */
export async function goIsCurrent(): Promise<Verdict> {
  if (!(await goIsHere())) {
    const required = process.env.REQUIRE_TOOLCHAINS === '1';
    return { ok: !required, output: 'Go is not installed here.\n', note: 'not compared: Go is not installed here' };
  }
  const fresh = await mkdtemp(join(tmpdir(), 'tether-generated-go-'));
  try {
    const generated = await goInto(fresh);
    if (!generated.ok) return generated;
    const differences = await differencesBetween('clients/go/gen', join(fresh, 'clients/go/gen'));
    const unformatted = await execute('gofmt', ['-l', 'clients/go']);
    const output = [
      ...differences,
      ...(differences.length > 0 ? ['Run `npm run generate` and commit what it writes.'] : []),
      ...(unformatted.output === '' ? [] : [`gofmt would write these otherwise:\n${unformatted.output.trimEnd()}`]),
    ].join('\n');
    return { ok: unformatted.ok && output === '', output: `${output}\n` };
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
