import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import schema from '../../server/catalog/tether.schema.json' with { type: 'json' };
import { rules } from '../../server/cli/check/warning.ts';

const read = (document: string): string => readFileSync(new URL(`../../docs/${document}`, import.meta.url), 'utf8');

test('the guide lists every rule of the check with what it is about, and no other', () => {
  const guide = read('vendor-guide.md');
  const rows = guide.slice(guide.indexOf('## What `tether tools check`')).matchAll(/^\| `([a-z-]+)` \| (.*) \|$/gm);
  expect(Object.fromEntries([...rows].map(([, rule = '', what]) => [rule, what]))).toEqual(rules);
});

test.each(['tool', 'endpoint', 'authorizer', 'webhook'] as const)(
  'every key of %s stands in a table of the catalog’s page',
  (name) => {
    const keys = [...read('catalog.md').matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/[a-z_]+/g)].map(([key]) => key),
    );
    expect(keys).toEqual(expect.arrayContaining(Object.keys(schema.$defs[name].properties)));
  },
);

test.each(['value', 'precondition', 'intent', 'verify'] as const)('every key of %s is explained', (name) => {
  const text = read('catalog.md');
  const from = text.indexOf(`### \`${name}\``);
  expect(from).toBeGreaterThan(-1);
  const section = text.slice(from, text.indexOf('\n##', from + 1));
  for (const key of Object.keys(schema.$defs.tool.properties[name].properties)) expect(section).toContain(`\`${key}\``);
});
