// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is how a catalog writes references
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCatalog } from '../../server/catalog/create-catalog.ts';
import { parseCatalog } from '../../server/catalog/parse-catalog.ts';
import { authority } from '../dispatch/certificates.ts';

const env = { LOGIN: 'https://login.example.com/', EMPTY: '' };

/** One issuer; each line is `key: value`. */
function text(...lines: readonly string[]): string {
  const [first = '', ...rest] = lines;
  return `version: 1
identity:
  issuers:
    - ${first}
${rest.map((line) => `      ${line}\n`).join('')}endpoints: {}
tools: {}
`;
}

const least = [
  'issuer: https://login.example.com/',
  'audience: [tether]',
  'tenant: { value: acme }',
  'role: { value: agent }',
  'all_scopes: true',
];

function parse(content: string) {
  return parseCatalog(content, {
    env,
    readFile: (path) => {
      if (path === 'ca.pem') return authority;
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    },
  });
}

function issuersOf(...lines: readonly string[]) {
  const parsed = parse(text(...lines));
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  return parsed.catalog.identity?.issuers ?? [];
}

function problemsOf(content: string) {
  const parsed = parse(content);
  if (parsed.kind === 'ok') throw new Error('the catalog was accepted');
  return parsed.problems;
}

/** The least that is accepted, with these lines in place of those with the same key, or after them. */
function but(...lines: readonly string[]): string[] {
  const keys = lines.map((line) => line.slice(0, line.indexOf(':')));
  const kept = least.filter((line) => !keys.includes(line.slice(0, line.indexOf(':'))));
  return [...kept, ...lines.filter((line) => !line.endsWith(': -'))];
}

describe('identity', () => {
  test('is nobody, when it is not declared', () => {
    const parsed = parse('version: 1\nendpoints: {}\ntools: {}\n');
    expect(parsed).toMatchObject({ kind: 'ok', catalog: { identity: undefined } });
  });

  test('has safe defaults', () => {
    expect(issuersOf(...least)).toEqual([
      {
        issuer: 'https://login.example.com/',
        audience: ['tether'],
        keysUrl: null,
        algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
        types: null,
        idTokens: false,
        clockToleranceSeconds: 5,
        maxAgeSeconds: null,
        tenant: { kind: 'value', value: 'acme' },
        tenants: null,
        user: { kind: 'as-it-is', claim: 'sub' },
        role: { kind: 'value', value: 'agent' },
        scopes: { kind: 'all' },
        client: null,
        required: new Map(),
      },
    ]);
  });

  test('is what it says, whole', () => {
    const [issuer] = issuersOf(
      'issuer: ${env:LOGIN}',
      'audience: [tether, "${env:AUDIENCE:-other}"]',
      'jwks_url: https://keys.example.com/all?set=1',
      'algorithms: [ES256]',
      'typ: [application/AT+JWT]',
      'id_tokens: true',
      'clock_tolerance_seconds: 0',
      'max_age_seconds: 3600',
      'tenant: { claim: /org/id, values: { org_1: acme, org_2: beta } }',
      'tenants: [acme, beta]',
      'user: { claim: email }',
      'client: { claim: cid }',
      'role: { claim: /realm_access/roles, values: { tether-approver: approver, tether-boss: operator } }',
      'scopes: { claim: stores, all: "*" }',
      'required_claims: { amr: [mfa, hwk], email_verified: [true] }',
      'tls: { ca_file: ca.pem }',
    );
    expect(issuer).toMatchObject({
      issuer: 'https://login.example.com/',
      audience: ['tether', 'other'],
      keysUrl: 'https://keys.example.com/all?set=1',
      algorithms: ['ES256'],
      types: ['at+jwt'],
      idTokens: true,
      clockToleranceSeconds: 0,
      maxAgeSeconds: 3600,
      tenant: { kind: 'claim', claim: '/org/id', values: new Map(Object.entries({ org_1: 'acme', org_2: 'beta' })) },
      tenants: new Set(['acme', 'beta']),
      user: { claim: 'email' },
      client: { claim: 'cid' },
      role: { kind: 'claim', claim: '/realm_access/roles' },
      scopes: { kind: 'claim', claim: 'stores', all: '*' },
      required: new Map<string, unknown>([
        ['amr', ['mfa', 'hwk']],
        ['email_verified', [true]],
      ]),
    });
    expect(issuer?.tls?.options().ca).toBe(authority);
  });

  test.each(['http://127.0.0.1:9/', 'http://localhost:9', 'http://[::1]:9/realms/a'])(
    'may be %s, on this machine',
    (issuer) => {
      expect(issuersOf(...but(`issuer: "${issuer}"`))).toMatchObject([{ issuer }]);
    },
  );

  test.each<[line: string, path: string, message: string]>([
    ['algorithms: [HS256]', 'algorithms.0', 'Must be RS256, RS384, RS512'],
    ['algorithms: [none]', 'algorithms.0', 'and is "none"'],
    ['algorithms: []', 'algorithms', 'Must not be empty.'],
    ['audience: []', 'audience', 'Must not be empty.'],
    ['audience: -', '', '"audience" is missing here, like [tether].'],
    ['audience: ["${env:EMPTY}"]', 'audience.0', 'EMPTY is not set'],
    ['issuer: http://login.example.com/', 'issuer', 'http:// is for this machine alone'],
    ['issuer: http://127.0.0.1.example.com/', 'issuer', 'http:// is for this machine alone'],
    ['issuer: login.example.com', 'issuer', 'Must be a URL that begins with https://'],
    ['issuer: https://u:s3cret@login.example.com/', 'issuer', 'Must not hold a user or password.'],
    ['issuer: https://login.example.com/?a=b', 'issuer', 'Must not have a query'],
    ['issuer: https://login.example.com/#a', 'issuer', 'or a fragment'],
    ['jwks_url: http://login.example.com/keys', 'jwks_url', 'http:// is for this machine alone'],
    ['jwks_url: file:///etc/passwd', 'jwks_url', 'Must be a URL that begins with https://'],
    ['tenant: -', '', '"tenant" is missing here'],
    ['tenant: {}', 'tenant', 'Must have one of value and claim, and not both.'],
    ['tenant: { value: acme, claim: org }', 'tenant', 'Must have one of value and claim, and not both.'],
    ['tenant: { value: Acme }', 'tenant.value', 'Is "Acme"; accepted are values like acme.'],
    ['tenant: { value: acme, values: { a: acme } }', 'tenant.values', 'Stands only beside claim'],
    ['tenant: { claim: org, values: { a: A_B } }', 'tenant.values.a', 'accepted are values like acme'],
    ['tenant: { claim: /a~2b }', 'tenant.claim', 'must be a JSON Pointer'],
    ['role: -', '', '"role" is missing here'],
    ['role: { claim: roles }', 'role', '"values" is missing here'],
    ['role: { value: boss }', 'role.value', 'Must be agent, approver or operator, and is "boss".'],
    ['role: { claim: roles, values: { a: approvr } }', 'role.values.a', 'Did you mean approver?'],
    ['all_scopes: -', '', 'either all_scopes: true, or scopes.'],
    ['all_scopes: false', 'all_scopes', 'Must be true'],
    ['scopes: { claim: stores }', 'all_scopes', 'Stands beside scopes'],
    ['clock_tolerance_seconds: 301', 'clock_tolerance_seconds', 'Must be at most 300'],
    ['max_age_seconds: 0', 'max_age_seconds', 'Must be at least 1'],
    ['required_claims: { amr: mfa }', 'required_claims.amr', 'Must be a list'],
    ['required_claims: { amr: [{ a: 1 }] }', 'required_claims.amr.0', 'Must be a text, a number, true or false.'],
    ['tls: { ca_file: gone.pem }', 'tls.ca_file', 'cannot be read (ENOENT)'],
    ['tls: { key_file: a.pem }', 'tls.key_file', 'Accepted: ca_file.'],
    ['audiance: [tether]', 'audiance', 'Did you mean audience?'],
  ])('%s is a problem, told with its place', (line, path, message) => {
    const problems = problemsOf(text(...but(line)));
    const place = ['identity', 'issuers', '0', ...(path === '' ? [] : [path])].join('.');
    expect(problems).toContainEqual(
      expect.objectContaining({ path: place, message: expect.stringContaining(message) }),
    );
    expect(JSON.stringify(problems)).not.toContain('s3cret');
  });

  test('a problem names its line', () => {
    const [problem] = problemsOf(text(...least.slice(0, 2), 'algorithms: [RS256, HS256]', ...least.slice(2)));
    expect(problem).toMatchObject({ line: 6, column: 27, path: 'identity.issuers.0.algorithms.1' });
  });

  test.each<[line: string, path: string]>([
    ['tenant: { value: gamma }', 'tenant.value'],
    ['tenant: { claim: org, values: { g: gamma } }', 'tenant.values.g'],
  ])('%s is a problem for an issuer that may not speak for it', (line, path) => {
    const [problem, ...more] = problemsOf(text(...but(line, 'tenants: [acme]')));
    expect(problem).toMatchObject({ path: `identity.issuers.0.${path}`, message: expect.stringContaining('gamma') });
    expect(more).toEqual([]);
  });

  test('one issuer may stand twice for different audiences, and not for the same', () => {
    const again = (audience: string) =>
      `${text(...least).replace('endpoints', `    - { issuer: "https://login.example.com/", audience: [${audience}], tenant: { value: acme }, role: { value: approver }, all_scopes: true }\nendpoints`)}`;
    expect(parse(again('people'))).toMatchObject({ kind: 'ok' });
    expect(problemsOf(again('people, tether'))).toMatchObject([
      { path: 'identity.issuers.1.audience.1', message: expect.stringContaining('identity.issuers.0') },
    ]);
  });
});

test('identity is reloaded with the rest of the catalog, all of it or nothing', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tether-identity-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'tether.yaml');
  await writeFile(path, text(...least));
  const catalog = await createCatalog({ path, env, logger: pino({ level: 'silent' }) });
  onTestFinished(() => catalog.close());
  const before = catalog.identity();
  await writeFile(path, text(...but('algorithms: [HS256]', 'tenant: { value: beta }')));
  expect(await catalog.reload()).toHaveLength(1);
  expect(catalog.identity()).toBe(before);
  await writeFile(path, text(...but('tenant: { value: beta }')));
  expect(await catalog.reload()).toEqual([]);
  expect(catalog.identity()?.issuers).toMatchObject([{ tenant: { value: 'beta' } }]);
});
