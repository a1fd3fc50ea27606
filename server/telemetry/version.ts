import { readFileSync } from 'node:fs';

/** Of this program. */
export function versionOf(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { version }: { readonly version: string } = JSON.parse(manifest);
  return version;
}
