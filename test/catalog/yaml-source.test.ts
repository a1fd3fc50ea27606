import { expect, test } from 'vitest';
import { readYaml } from '../../server/catalog/yaml-source.ts';

test('a second document is told as what it is, and where', () => {
  expect(readYaml('version: 1\n---\nversion: 1\n')).toMatchObject({
    kind: 'invalid',
    problems: [{ line: 2, message: 'A second document begins here ("---"); a catalog is one.' }],
  });
});
