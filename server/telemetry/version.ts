import { existsSync, readFileSync } from 'node:fs';

/** The manifest as seen from here: in a checkout, and in the built package, whose files lie one folder deeper. */
const places = ['../package.json', '../../package.json'].map((place) => new URL(place, import.meta.url));

/** Of this program. */
export function versionOf(): string {
  const place = places.find((each) => existsSync(each));
  if (place === undefined) throw new Error('the program has lost its package.json');
  const { version }: { readonly version: string } = JSON.parse(readFileSync(place, 'utf8'));
  return version;
}
