/** The parts of documents that are made from the source: between `<!-- generated: name -->` and `<!-- end -->`. */
import { readFile } from 'node:fs/promises';
import { sectionsOfChecks, tableOfCheckOptions } from './endpoint-checks.ts';
import { tableOfCallErrors, tableOfOutcomeErrors } from './errors.ts';
import { picture, tableOfAnswers, tableOfDecisions } from './transitions.ts';

const parts: Readonly<Record<string, () => string>> = {
  'call errors': tableOfCallErrors,
  'outcome errors': tableOfOutcomeErrors,
  'state machine': picture,
  'decisions on states': tableOfDecisions,
  'answers on states': tableOfAnswers,
  'endpoint checks': sectionsOfChecks,
  'endpoint check options': tableOfCheckOptions,
};

/** The documents that hold generated parts. */
const documents = ['docs/errors.md', 'docs/lifecycle.md', 'docs/endpoint-check.md'];

/** Each of those documents, as it stands and as it should. Rejects when a part that is made stands in none, or is unknown. */
export async function documentsWithParts(): Promise<
  { readonly path: string; readonly old: string; readonly now: string }[]
> {
  const filled = new Set<string>();
  const all = await Promise.all(
    documents.map(async (path) => {
      const old = await readFile(path, 'utf8');
      const now = old.replace(/(<!-- generated: (.+?) -->\n)[\s\S]*?(\n<!-- end -->)/g, (_, start, name, end) => {
        const make = parts[name];
        if (make === undefined) throw new Error(`${path}: nothing makes the part "${name}"`);
        filled.add(name);
        return `${start}\n${make()}\n${end}`;
      });
      return { path, old, now };
    }),
  );
  const missing = Object.keys(parts).filter((name) => !filled.has(name));
  if (missing.length > 0) throw new Error(`no document has a place for the generated part "${missing.join('", "')}"`);
  return all;
}
