/**
 * `npm run check`: everything that CI asks of a change besides the tests. `npm run check -- imports knip` runs those
 * steps alone; an unknown name is answered with the names there are. Exits with 1 when a step fails.
 */
import { existsSync } from 'node:fs';
import { contractBreaksNobody } from './check/breaking.ts';
import { documentsHold } from './check/documents.ts';
import { generatedIsCurrent } from './check/generated.ts';
import { goIsCurrent } from './check/generated-go.ts';
import { program, type Step, type Verdict } from './check/step.ts';
import { openApiIsCurrent } from './openapi-is-current.ts';

const sources = ['server', 'gen', 'clients', 'examples', 'test', 'bench', 'scripts'].filter((path) => existsSync(path));

const steps: readonly Step[] = [
  program('types', 'the types hold', 'tsc', '-p', 'tsconfig.json'),
  program('client', 'the client has types of its own, without Node', 'tsc', '-p', 'clients/typescript/tsconfig.json'),
  program('biome', 'lint and format', 'biome', 'check', '--error-on-warnings', '.'),
  program('buf-lint', 'the contract is well formed', 'buf', 'lint'),
  program('buf-format', 'the contract is formatted', 'buf', 'format', '--diff', '--exit-code'),
  { name: 'generated', promise: 'what is generated is current', run: generatedIsCurrent },
  { name: 'go', promise: 'what is generated for Go is current', run: goIsCurrent },
  { name: 'breaking', promise: 'the contract breaks nobody', run: contractBreaksNobody },
  program('imports', 'imports run one way', 'depcruise', '--config', '.dependency-cruiser.mjs', ...sources),
  program('knip', 'nothing is unused', 'knip', '--no-progress'),
  { name: 'documents', promise: 'what documents name exists', run: documentsHold },
  { name: 'openapi', promise: 'the OpenAPI document is what the code says', run: openApiIsCurrent },
];

/** Steps at a time: they are processes of their own, and most machines that check have two cores. */
const atOnce = 2;

async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) {
    console.error(`No step ${unknown.join(', ')}. The steps are: ${steps.map(({ name }) => name).join(', ')}.`);
    return 2;
  }
  const chosen = names.length === 0 ? steps : steps.filter(({ name }) => names.includes(name));
  const waiting = chosen.values();
  const failed: string[] = [];
  const work = async () => {
    for (const step of waiting) if (!(await runAndTell(step))) failed.push(step.name);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failed.length === 0) console.log(`\nChecks: ${chosen.length} passed`);
  else console.log(`\nChecks: ${failed.length} failed (${failed.join(', ')}), ${chosen.length - failed.length} passed`);
  return failed.length === 0 ? 0 : 1;
}

async function runAndTell({ name, promise, run }: Step): Promise<boolean> {
  const begun = performance.now();
  const { ok, output, note } = await run().catch(
    (error: unknown): Verdict => ({ ok: false, output: `${error instanceof Error ? error.stack : error}\n` }),
  );
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`${ok ? '✓' : '✗'} ${name.padEnd(11)} ${seconds.padStart(5)} s  ${promise}${note ? ` (${note})` : ''}`);
  if (!ok) console.log(output.trimEnd().replace(/^/gm, '    '));
  return ok;
}

process.exitCode = await main(process.argv.slice(2));
