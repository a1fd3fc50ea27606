import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
}

/** The rows of a page's tables with two columns: what is asked for or feared, and each thing that stands beside it. */
const rowsOf = (page: string) =>
  [...read(page).matchAll(/^\| (?!asked for|threat|---)([^|]+?) \| ([^|]+) \|$/gm)].map(([, what = '', kept = '']) => ({
    what,
    kept: kept.split('<br>'),
  }));
const rows = rowsOf('docs/reference-coverage.md');
const threats = rowsOf('docs/security.md');

/** What is wrong with one thing that is said to keep a promise; nothing when the file has a test or a group of that name. */
function faultOf(kept: string): string | undefined {
  if (kept.startsWith('**not yet**: ')) return undefined;
  const [, file = '', name = ''] = /^`(test\/[^`]+\.test\.ts)`: (.+)$/.exec(kept) ?? [];
  if (!existsSync(fileURLToPath(new URL(`../../${file}`, import.meta.url))) || file === '') return `no file: ${kept}`;
  const text = read(file).replaceAll("\\'", "'");
  const calls = /\b(?:test|describe)\b(?:\.\w+)?(?:<[^>]+>)?\((?:[\s\S]*?\)\()?\s*$/;
  const named = [`'${name}'`, `"${name}"`].flatMap((quoted) => text.split(quoted).slice(0, -1));
  return named.some((before) => calls.test(before.slice(-4_000))) ? undefined : `no such test: ${kept}`;
}

test('every test that the page on the reference names exists', () => {
  expect(rows.flatMap(({ kept }) => kept.map(faultOf).filter((fault) => fault !== undefined))).toEqual([]);
});

test('every statement there has a test, or says that it is not there yet', () => {
  expect(rows.length).toBeGreaterThan(60);
  for (const { what, kept } of rows) expect(kept.length, what).toBeGreaterThan(0);
});

test('every threat of the threat model has tests that exist', () => {
  expect(threats.length).toBeGreaterThan(30);
  expect(threats.flatMap(({ kept }) => kept.map(faultOf).filter((fault) => fault !== undefined))).toEqual([]);
});

test('a test that is renamed, and a file that is gone, would be noticed', () => {
  expect(faultOf('`test/structure/coverage.test.ts`: a test of no such name')).toMatch(/^no such test/);
  expect(faultOf('`test/structure/gone.test.ts`: every test')).toMatch(/^no file/);
  expect(faultOf('something said without a test')).toMatch(/^no file/);
});
