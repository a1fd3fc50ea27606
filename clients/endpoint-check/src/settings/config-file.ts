import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { type Given, isOptionName, options } from './options.ts';
import { UsageError } from './settings.ts';

/**
 * Reads a file in YAML or JSON with the options by their names, and `url`. Paths in it are taken from where it lies.
 *
 * @throws UsageError with what is wrong.
 */
export function readConfigFile(path: string): Given {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new UsageError(`--config: ${path} cannot be read (${code}).`);
  }
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault !== undefined) throw new UsageError(`${path}: ${fault.message}`);
  const value: unknown = document.toJS();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${path} must be a mapping of options, like \`tool: void_ticket\`.`);
  }
  const given: Record<string, unknown> = { ...value };
  for (const name of Object.keys(given)) {
    if (name === 'url' || isOptionName(name)) continue;
    const known = ['url', ...Object.keys(options)].join(', ');
    throw new UsageError(`${path}: there is no option ${JSON.stringify(name)}; there are ${known}.`);
  }
  for (const name of ['signing-secret-file', 'bearer-file']) {
    const file = given[name];
    if (typeof file === 'string') given[name] = resolve(dirname(path), file);
  }
  return given;
}
