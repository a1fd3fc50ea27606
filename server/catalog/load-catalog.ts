import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type ParsedCatalog, parseCatalog } from './parse-catalog.ts';
import type { Surroundings } from './references.ts';

/** A catalog with the text it came from; null when the file could not be read. */
export type LoadedCatalog = ParsedCatalog & { readonly text: string | null };

/** Reads a catalog file. Relative `${file:…}` references are the catalog's directory's. */
export async function loadCatalog(path: string, env: Surroundings['env']): Promise<LoadedCatalog> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const reason = code === 'ENOENT' ? 'There is no such file' : `The file cannot be read (${code})`;
    const message = `${reason}: TETHER_CATALOG names the catalog.`;
    return { kind: 'invalid', text: null, problems: [{ line: 0, column: 0, path: '', message }] };
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const message = 'The file is not UTF-8.';
    return { kind: 'invalid', text: bytes.toString('latin1'), problems: [{ line: 1, column: 1, path: '', message }] };
  }
  const directory = dirname(path);
  const parsed = parseCatalog(text, { env, readFile: (file) => readFileSync(resolve(directory, file), 'utf8') });
  return { ...parsed, text };
}
