import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Not ours, or not committed. */
const elsewhere = /(^|\/)(node_modules|\.git|\.tether|coverage|results)$|^test\/vectors$/;

const files = globSync(['**/*.{ts,mjs,js,json,md,yaml,yml,proto,sql}', '.ci/*', '.*.mjs', '.npmrc'], {
  cwd: root,
  exclude: (path) => elsewhere.test(path),
}).sort();

interface Rule {
  readonly why: string;
  readonly words: RegExp;
  /** What the rule is there to find. */
  readonly caught: readonly string[];
  /** What it must leave alone. */
  readonly spared: readonly string[];
}

const rules: readonly Rule[] = [
  {
    why: 'a path of one machine',
    words: /(?<![\w.:/$}-])\/(?:home|Users|root|work|mnt|media)\/\w/,
    caught: [['', 'home', 'ann', 'tether'].join('/'), `"${['', 'Users', 'ann'].join('/')}"`],
    spared: ['https://example.com/home/page', './work/here', 'gen/root/x'],
  },
  {
    why: 'a promise of the effect that nobody can keep',
    words: /exactly[\s-]+once/i,
    caught: [['exactly', 'once'].join(' '), ['Exactly', 'once'].join('-')],
    spared: ['at most once', 'exactly the reference'],
  },
  {
    why: 'left over from a merge',
    words: /^(?:<{7} |={7}$|>{7} )/m,
    caught: [`${'<'.repeat(7)} HEAD`, '='.repeat(7)],
    spared: ['========', '<<<'],
  },
  {
    why: 'our packages are on no registry: the name could be a stranger’s',
    words: /\b(?:npm (?:i|install|add)|npx|pnpm add|yarn add|bun add) (?:-\S+ )*@tether\/[\w-]/,
    caught: [['npm install', '@tether/client'].join(' '), ['npm i -D', '@tether/server'].join(' ')],
    spared: ['npm install', 'npm ci', 'import { x } from "@tether/proto"'],
  },
];

describe.each(rules)('$why', ({ words, caught, spared }) => {
  test('is told from what is all right', () => {
    expect(caught.filter((text) => !words.test(text))).toEqual([]);
    expect(spared.filter((text) => words.test(text))).toEqual([]);
  });

  test('is in no file', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => words.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });
});
