import { readFile } from 'node:fs/promises';
import { execute, type Verdict } from './check/step.ts';

/** The OpenAPI document of the JSON door, beside the code that serves it. */
export const openApiFile = 'server/doors/json/openapi.json';

/** The committed document is what the contract and the table of routes say now. Leaves the tree as it is. */
export async function openApiIsCurrent(): Promise<Verdict> {
  const made = await execute(process.execPath, ['scripts/generate-openapi.ts', '--print']);
  if (!made.ok) return made;
  const committed = await readFile(openApiFile, 'utf8');
  if (made.output === committed) return { ok: true, output: '' };
  return {
    ok: false,
    output: `${openApiFile} is not what the code says.\nRun \`npm run generate\` and commit what it writes.\n`,
  };
}
