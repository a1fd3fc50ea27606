// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is how a catalog writes references
/** Signing secrets come from the environment or a file, are of a form that libraries agree about, and are shown to nobody. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCatalog } from '../../server/catalog/create-catalog.ts';
import { parseCatalog } from '../../server/catalog/parse-catalog.ts';
import { problemText } from '../../server/catalog/problem.ts';

const catalog = (secrets: string, authorizer = '') => `version: 1
endpoints:
  pos:
    transport: json
    url: http://127.0.0.1:8090/tools
    signing_secrets: ${secrets}
${authorizer}
tools: {}
`;

const one = '["${env:ONE}"]';

function parse(text: string, env: Record<string, string> = {}, files: Record<string, string> = {}) {
  return parseCatalog(text, {
    env,
    readFile: (path) => {
      if (files[path] === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
      return files[path];
    },
  });
}

function keysOf(...parameters: Parameters<typeof parse>) {
  const parsed = parse(...parameters);
  if (parsed.kind === 'invalid') throw new Error(parsed.problems.map((each) => problemText('', each)).join('\n'));
  return parsed.catalog.endpoints.get('pos')?.signingKeys ?? [];
}

function problemsOf(...parameters: Parameters<typeof parse>) {
  const parsed = parse(...parameters);
  if (parsed.kind === 'ok') throw new Error('the catalog was accepted');
  return parsed.problems;
}

const secretOf = (bytes: Buffer) => `whsec_${bytes.toString('base64')}`;

describe('a secret', () => {
  test.each([24, 32, 33, 64])('of %i bytes is the key that it spells', (size) => {
    const bytes = randomBytes(size);
    const [key, ...others] = keysOf(catalog(one), { ONE: secretOf(bytes) });
    expect(others).toEqual([]);
    expect(key?.equals(createSecretKey(bytes))).toBe(true);
    expect(() => new Webhook(secretOf(bytes))).not.toThrow();
  });

  test('may stand in a file, whose last line may end', () => {
    const [bytes, older] = [randomBytes(32), randomBytes(32)];
    const keys = keysOf(
      catalog('["${file:/run/secrets/new}", "${env:OLD}"]'),
      { OLD: secretOf(older) },
      { '/run/secrets/new': `${secretOf(bytes)}\n` },
    );
    expect(keys.map((key) => key.export())).toEqual([bytes, older]);
  });

  test('of the authorizer is its own', () => {
    const bytes = randomBytes(32);
    const authorizer = 'authorizer: { transport: json, url: "http://127.0.0.1:1/", signing_secrets: ["${env:TWO}"] }';
    const parsed = parse(catalog(one, authorizer), { ONE: secretOf(randomBytes(32)), TWO: secretOf(bytes) });
    if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
    expect(parsed.catalog.authorizer?.signingKeys?.map((key) => key.export())).toEqual([bytes]);
  });

  test('is nowhere in what is made of a catalog, however it is printed', () => {
    const bytes = Buffer.from('s3cret-s3cret-s3cret-s3cret-s3cret');
    const parsed = parse(catalog(one), { ONE: secretOf(bytes) });
    const printed = [JSON.stringify(parsed, (_, each) => (each instanceof Map ? [...each] : each))];
    printed.push(inspect(parsed, { depth: null, showHidden: true }));
    expect(printed.join('')).toContain('signingKeys');
    for (const form of ['utf8', 'base64', 'hex', 'latin1'] as const)
      expect(printed.join('')).not.toContain(bytes.toString(form));
  });
});

describe('refused, with the line and without a word of it', () => {
  const bytes = Buffer.from('s3cret-s3cret-s3cret-s3cret-s3cret');
  const base64 = bytes.toString('base64');

  test.each([
    ['without its prefix', base64],
    ['raw', 's3cret-s3cret-s3cret-s3cret-s3cret'],
    ['too short', secretOf(bytes.subarray(0, 23))],
    ['too long', secretOf(Buffer.alloc(65, 's3cret'))],
    ['of another alphabet', `whsec_${base64.slice(0, -1)}_`],
    ['cut off', `whsec_${base64.slice(0, -2)}`],
    ['with something behind it', `whsec_${base64} x`],
    ['an asymmetric one', `whsk_${base64}`],
    ['nothing but the prefix', 'whsec_'],
  ])('a secret %s', (_, secret) => {
    const problems = problemsOf(catalog(one), { ONE: secret });
    expect(problems).toEqual([
      expect.objectContaining({
        line: 6,
        path: 'endpoints.pos.signing_secrets.0',
        message: expect.stringContaining('env:ONE holds no signing secret: whsec_ and the base64 of 24 to 64'),
      }),
    ]);
    expect(JSON.stringify(problems)).not.toMatch(/s3cret|czNjcmV0/);
  });

  test.each([
    ['a literal', `[whsec_${base64}]`],
    ['a literal where the list should be', `whsec_${base64}`],
    ['a reference where the list should be', '"${env:ONE}"'],
    ['a literal within a mapping', `{ secret: whsec_${base64} }`],
    ['a literal within the list', `[{ secret: whsec_${base64} }]`],
    ['a default for the environment', `["\${env:ONE:-whsec_${base64}}"]`],
    ['a reference among other words', '["x${env:ONE}"]'],
    ['none', '[]'],
    ['three', '["${env:A}", "${env:B}", "${env:C}"]'],
    ['the same reference twice', '["${env:ONE}", "${env:ONE}"]'],
  ])('%s', (_, secrets) => {
    const problems = problemsOf(catalog(secrets), { ONE: `whsec_${base64}` });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ line: 6, path: expect.stringContaining('endpoints.pos.signing_secrets') });
    expect(problems[0]?.message).toMatch(/reference.*accepted: .*\$\{env:POS_SIGNING_SECRET\}/);
    expect(JSON.stringify(problems)).not.toContain(base64);
  });

  test('one that is not set, and a file that is not there', () => {
    const problems = problemsOf(catalog('["${env:ONE}", "${file:/run/secrets/pos}"]'));
    expect(problems.map(({ path, message }) => [path, message])).toEqual([
      ['endpoints.pos.signing_secrets.0', 'The environment variable ONE is not set.'],
      ['endpoints.pos.signing_secrets.1', 'The file /run/secrets/pos cannot be read (ENOENT).'],
    ]);
  });

  test('one secret under two names', () => {
    const env = { ONE: `whsec_${base64}`, TWO: `whsec_${base64}` };
    const [problem, ...others] = problemsOf(catalog('["${env:ONE}", "${env:TWO}"]'), env);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      path: 'endpoints.pos.signing_secrets.1',
      message: expect.stringContaining('same'),
    });
  });
});

test('a catalog that is saved again brings the new secret, and no line of the log has either', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tether-secrets-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const [old, newer] = [randomBytes(32), randomBytes(32)];
  const path = join(home, 'tether.yaml');
  await writeFile(path, catalog('["${file:secret}"]'));
  await writeFile(join(home, 'secret'), secretOf(old));
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const live = await createCatalog({ path, env: {}, logger });
  onTestFinished(() => live.close());
  const keys = () => live.endpoint('pos')?.signingKeys?.map((key) => key.export());
  expect(keys()).toEqual([old]);

  await writeFile(join(home, 'secret'), secretOf(newer));
  expect(await live.reload()).toEqual([]);
  expect(keys()).toEqual([newer]);

  await writeFile(join(home, 'secret'), newer.toString('base64'));
  expect(await live.reload()).toHaveLength(1);
  expect(keys()).toEqual([newer]);
  expect(lines.join('')).toContain('holds no signing secret');
  for (const bytes of [old, newer]) {
    expect(lines.join('')).not.toContain(bytes.toString('base64'));
    expect(lines.join('')).not.toContain(bytes.toString('hex'));
  }
});
