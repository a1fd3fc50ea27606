import { readFile } from 'node:fs/promises';
import { checkForm } from './check-form.ts';
import { type Problem, problemText } from './problem.ts';
import { readYaml } from './yaml-source.ts';

/** What a catalog calls things, or why its file cannot be read as one. */
export type DeclaredNames =
  | { readonly kind: 'ok'; readonly tools: readonly string[]; readonly endpoints: readonly string[] }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Only the names: no secret is resolved and no file of the catalog's is read, so that it works where none of them is. */
export async function declaredNames(path: string): Promise<DeclaredNames> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return { kind: 'invalid', reason: code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})` };
  }
  const read = readYaml(text);
  if (read.kind === 'invalid') return invalid(path, read.problems);
  const form = checkForm(read.source);
  if (form.kind === 'invalid') return invalid(path, form.problems);
  return { kind: 'ok', tools: Object.keys(form.file.tools), endpoints: Object.keys(form.file.endpoints) };
}

function invalid(path: string, [first]: readonly Problem[]): DeclaredNames {
  return { kind: 'invalid', reason: first === undefined ? 'it is no catalog' : problemText(path, first) };
}
