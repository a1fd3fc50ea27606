import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Code } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { attemptsAllowed, effects, states } from '../../server/domain/action.ts';
import { callErrorCodes, outcomeErrorCodes } from '../../server/domain/error.ts';
import { statusOf } from '../../server/doors/failure.ts';
import { settings } from '../../server/settings.ts';

function read(document: string): string {
  return readFileSync(fileURLToPath(new URL(`../../${document}`, import.meta.url)), 'utf8');
}

/** The part of a document under a heading, up to the next of its level. */
function section(text: string, heading: string): string {
  const start = text.indexOf(`## ${heading}\n`);
  expect(start, heading).toBeGreaterThan(-1);
  const end = text.indexOf('\n## ', start + 1);
  return text.slice(start, end === -1 ? undefined : end);
}

/** The code spans in the first column of all tables. */
function firstColumn(text: string): string[] {
  return [...text.matchAll(/^\| ([^|]*)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name),
  );
}

test('every error with which a call is refused is explained, and no other', () => {
  expect(firstColumn(section(read('docs/errors.md'), 'Calls that are refused')).sort()).toEqual(
    [...callErrorCodes].sort(),
  );
});

test('each of them travels with the status that its row says', () => {
  const rows = section(read('docs/errors.md'), 'Calls that are refused').matchAll(/^\| `([A-Z_]+)` \| ([A-Z_]+) \|/gm);
  const upperSnake = (name: string) => name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  expect(Object.fromEntries([...rows].map(([, code = '', status]) => [code, status]))).toEqual(
    Object.fromEntries(Object.entries(statusOf).map(([code, status]) => [code, upperSnake(Code[status])])),
  );
});

test('the JSON door’s page has each of them beside the HTTP status that its row says', () => {
  const rows = section(read('docs/errors.md'), 'Calls that are refused').matchAll(
    /^\| `([A-Z_]+)` \| [A-Z_]+ \| (\d+) \|/gm,
  );
  const table = section(read('docs/json-door.md'), 'Calls that fail').matchAll(/^\| ([\d, ]+) \| [^|]+ \| (.*) \|$/gm);
  const told = [...table].flatMap(([, statuses = '', codes = '']) =>
    [...codes.matchAll(/`([A-Z_]+)`/g)].map(([, code = '']) => `${code} ${statuses}`),
  );
  const expected = [...rows].map(([, code = '', status = '']) => `${code} ${status}`);
  expect(expected).toHaveLength(callErrorCodes.length);
  expect(expected.filter((each) => !told.includes(each))).toEqual([]);
});

test('every error that is recorded is explained, and no other', () => {
  expect(firstColumn(section(read('docs/errors.md'), 'Outcomes that are recorded')).sort()).toEqual(
    [...outcomeErrorCodes].sort(),
  );
});

test('every state and every effect is explained, and no other', () => {
  const text = read('docs/lifecycle.md');
  expect(firstColumn(text.slice(0, text.indexOf('## '))).sort()).toEqual([...states, ...effects].sort());
});

test('every setting stands in the table of settings, with its default', () => {
  const text = section(read('docs/operations.md'), 'Settings');
  expect(firstColumn(text).sort()).toEqual(Object.keys(settings).sort());
  for (const [name, { default: value }] of Object.entries(settings)) {
    const row = text.split('\n').find((line) => line.split('|')[1]?.includes(`\`${name}\``)) ?? '';
    const told = row.split('|')[2]?.trim();
    if (value === '') expect(told, name).toMatch(/^none\b/);
    else expect(told, name).toBe(`\`${value}\``);
  }
});

test('the settings that the README names are settings', () => {
  const named = read('README.md').matchAll(/\b(?:TETHER_[A-Z_]+|DATABASE_URL)\b/g);
  expect([...named].map(([name]) => name).filter((name) => !Object.hasOwn(settings, name))).toEqual([]);
});

test('the number of attempts that documents tell is the number there is', () => {
  const words = ['zero', 'one', 'two', 'three', 'four', 'five'];
  expect(read('docs/endpoint.md')).toContain(`its at most ${words[attemptsAllowed]} attempts`);
});

const documents = globSync(['*.md', 'docs/*.md', 'clients/*/README.md', 'examples/*/README.md', 'server/README.md'], {
  cwd: fileURLToPath(new URL('../../', import.meta.url)),
});

test('who reads a command of tether in a document is told how it is typed in a checkout', () => {
  const showing = documents.filter((document) => /^```sh\n(?:(?!```)[\s\S])*?^tether /m.test(read(document)));
  expect(showing.length).toBeGreaterThanOrEqual(4);
  for (const document of showing)
    expect(read(document), document).toMatch(/npm exec -- tether[^\n]*#the-tether-command/);
  expect(section(read('README.md'), 'The `tether` command')).toContain('npm exec -- tether …');
});

test('no two walks that are pasted one after the other void the same ticket', () => {
  const walks = [
    ...['README.md', 'docs/json-door.md', 'clients/typescript/README.md', 'clients/python/README.md'],
    ...['clients/go/README.md', 'clients/java/src/main/java/tether/example/Propose.java'],
  ];
  const voided = walks.flatMap((walk) => [...new Set([...read(walk).matchAll(/\bT-\d{4}\b/g)].map(([id]) => id))]);
  expect(voided.length).toBeGreaterThanOrEqual(walks.length);
  expect(voided).toEqual([...new Set(voided)]);
  const [, open = ''] = /On a fresh database ([^.]*?) are open/.exec(read('examples/point-of-sale/README.md')) ?? [];
  for (const ticket of voided) expect(open).toContain(ticket);
});

test('nothing that is pasted writes to a place that another user of the machine may have taken', () => {
  for (const document of documents) expect(read(document), document).not.toMatch(/\/tmp\//);
});
