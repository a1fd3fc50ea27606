/** What a token stands for, and what it takes to stand for anything. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Issuer, startIssuer } from '../support/issuer.ts';
import { entryOf, identityOf, refusalOf, taking } from './taking.ts';

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

const good = { sub: 'ann', aud: 'tether' };
const mapped =
  'tenant: { claim: org }, role: { claim: roles, values: { t-agent: agent, t-approver: approver, "Tether Chief": operator } }, scopes: { claim: stores, all: "*" }';
const whole = { ...good, org: 'acme', roles: ['t-approver'], stores: ['12', '13'] };

async function principalOf(claims: Readonly<Record<string, unknown>>, more?: string) {
  return taking(identityOf(entryOf(issuer.url, more))).authenticate(await issuer.token(claims));
}

describe('a token stands for', () => {
  test('what its entry says of all of them', async () => {
    expect(await principalOf(good)).toEqual({
      tenantId: 'acme',
      credentialId: `${issuer.url}#sub=ann`,
      userId: 'ann',
      role: 'agent',
      scopes: null,
    });
  });

  test.each<[what: string, claims: object, expected: object, more?: string]>([
    ['what its claims say', whole, { tenantId: 'acme', role: 'approver', scopes: ['12', '13'] }, mapped],
    [
      'words of one text',
      { ...whole, roles: 'openid t-agent', stores: '12 13' },
      { role: 'agent', scopes: ['12', '13'] },
      mapped,
    ],
    ['a text with spaces as a whole', { ...whole, roles: 'Tether Chief' }, { role: 'operator' }, mapped],
    ['a role among those of other programs', { ...whole, roles: ['x', 't-agent', 'y'] }, { role: 'agent' }, mapped],
    ['the same role twice', { ...whole, roles: ['t-agent', 't-agent'] }, { role: 'agent' }, mapped],
    ['every scope, where its value for that is there', { ...whole, stores: ['12', '*'] }, { scopes: null }, mapped],
    [
      'claims that stand deeper',
      { ...good, a: { 'b/c': [{ org: 'org_1' }] }, realm: { roles: ['t-agent'] } },
      { tenantId: 'beta', role: 'agent' },
      'tenant: { claim: /a/b~1c/0/org, values: { org_1: beta } }, role: { claim: /realm/roles, values: { t-agent: agent } }, all_scopes: true',
    ],
    [
      'claims whose name is a URL',
      { ...good, 'https://x.example/role': 't-agent' },
      { role: 'agent' },
      'tenant: { value: acme }, role: { claim: "https://x.example/role", values: { t-agent: agent } }, all_scopes: true',
    ],
    [
      'another user than its subject',
      { ...good, email: 'ann@example.com' },
      { userId: 'ann@example.com' },
      'tenant: { value: acme }, user: { claim: email }, role: { value: agent }, all_scopes: true',
    ],
    [
      'one of several audiences',
      { ...good, aud: ['other', 'tether'] },
      { userId: 'ann' },
      'tenant: { value: acme }, role: { value: agent }, scopes: { value: ["12"] }',
    ],
  ])('%s', async (_, claims, expected, more) => {
    expect(await principalOf({ ...claims }, more)).toMatchObject(expected);
  });
});

describe('a token stands for nobody', () => {
  test.each<[what: string, claims: object, reason: RegExp, more?: string]>([
    ['without a tenant', { ...whole, org: undefined }, /names no tenant/, mapped],
    ['with a tenant of no such form', { ...whole, org: 'Acme' }, /no tenant can have/, mapped],
    ['with two tenants', { ...whole, org: ['acme', 'beta'] }, /names no tenant/, mapped],
    ['with a tenant that there is not', { ...whole, org: 'gamma' }, /there is no tenant of that id/, mapped],
    [
      'with a tenant that its issuer may not speak for',
      { ...whole, org: 'beta' },
      /may not speak for/,
      `${mapped}, tenants: [acme]`,
    ],
    ['without a role', { ...whole, roles: undefined }, /stands for no role/, mapped],
    ['with roles of other programs alone', { ...whole, roles: ['x'] }, /stands for no role/, mapped],
    ['with two roles', { ...whole, roles: ['t-agent', 't-approver'] }, /more than one role/, mapped],
    ['with roles that are no texts', { ...whole, roles: [['t-agent']] }, /stands for no role/, mapped],
    ['with a role that every object has', { ...whole, roles: ['constructor'] }, /stands for no role/, mapped],
    ['without scopes', { ...whole, stores: undefined }, /names no scope/, mapped],
    ['with an empty list of scopes', { ...whole, stores: [] }, /names no scope/, mapped],
    ['with a scope that is no text', { ...whole, stores: ['12', 13] }, /names no scope/, mapped],
    ['with a scope that cannot be recorded', { ...whole, stores: ['1\u0000'] }, /what no scopes can be/, mapped],
    ['with a user that cannot be recorded', { ...good, sub: 'a\u0000b' }, /names no user/],
    ['with a user half of whose character is missing', { ...good, sub: 'a\ud800' }, /names no user/],
    ['with a user that is a number', { ...good, sub: 7 }, /./],
    ['with an empty user', { ...good, sub: '' }, /names no user/],
    ['with a user longer than is recorded', { ...good, sub: 'a'.repeat(257) }, /names no user/],
    ['without a subject', { aud: 'tether' }, /"sub"/],
    ['with more than can be recorded', { ...good, sub: 'ü'.repeat(256) }, /1024 characters/],
    [
      'without the client that its entry asks for',
      good,
      /names no client/,
      'tenant: { value: acme }, client: { claim: cid }, role: { value: agent }, all_scopes: true',
    ],
    ['with a client that is no text', { ...good, client_id: ['a'] }, /names no client/],
    [
      'without a required claim',
      good,
      /claim amr is not what the catalog requires/,
      'tenant: { value: acme }, role: { value: agent }, all_scopes: true, required_claims: { amr: [mfa] }',
    ],
    [
      'with another value of a required claim',
      { ...good, email_verified: 'true' },
      /email_verified/,
      'tenant: { value: acme }, role: { value: agent }, all_scopes: true, required_claims: { email_verified: [true] }',
    ],
  ])('%s', async (_, claims, reason, more) => {
    const refusal = await refusalOf(principalOf({ ...claims }, more));
    expect(refusal.message).toMatch(reason);
    expect(refusal.expired).toBe(false);
  });

  test('unless its required claims hold one of the values', async () => {
    const more =
      'tenant: { value: acme }, role: { value: agent }, all_scopes: true, required_claims: { amr: [mfa, hwk], v: [2] }';
    expect(await principalOf({ ...good, amr: ['pwd', 'hwk'], v: 2 }, more)).toMatchObject({ userId: 'ann' });
  });
});

describe('the credential of a token', () => {
  const idOf = async (claims: object) => (await principalOf({ ...good, ...claims }))?.credentialId;

  test('is its issuer, subject and client, and the same for the next token', async () => {
    expect(await idOf({ sub: 'auth0|7', client_id: 'bot' })).toBe(`${issuer.url}#sub=auth0%7C7&client=bot`);
    expect(await idOf({ sub: 'auth0|7', client_id: 'bot', jti: 'b', iat: 1 })).toBe(
      await idOf({ sub: 'auth0|7', azp: 'bot', jti: 'a' }),
    );
  });

  test('is another for each of them, whatever characters they have', async () => {
    const all = await Promise.all(
      [
        {},
        { client_id: 'b' },
        { client_id: 'c' },
        { sub: 'ann&client=b' },
        { sub: 'ann#client=b' },
        { sub: 'ann%26client=b' },
        { sub: 'Ann' },
      ].map(idOf),
    );
    expect(new Set(all).size).toBe(all.length);
  });
});

test('two entries of one issuer are told apart by the audience, and a token for both is for neither', async () => {
  const people = `{ issuer: "${issuer.url}", audience: [people], tenant: { value: acme }, role: { value: approver }, all_scopes: true }`;
  const taker = taking(identityOf(entryOf(issuer.url), people));
  expect(await taker.authenticate(await issuer.token(good))).toMatchObject({ role: 'agent' });
  expect(await taker.authenticate(await issuer.token({ ...good, aud: 'people' }))).toMatchObject({ role: 'approver' });
  const both = await refusalOf(taker.authenticate(await issuer.token({ ...good, aud: ['people', 'tether'] })));
  expect(both.message).toContain('two entries');
});
