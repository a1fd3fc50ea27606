/** What is remembered of a token, and when it is forgotten. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Issuer, startIssuer } from '../support/issuer.ts';
import { entryOf, identityOf, refusalOf, taking } from './taking.ts';

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

const good = { sub: 'ann', aud: 'tether' };
const asApprover = 'tenant: { value: beta }, role: { value: approver }, all_scopes: true';

test('a thousand calls with one token verify it once, also when they all come at the same time', async () => {
  const taker = taking(identityOf(entryOf(issuer.url)));
  const token = await issuer.token(good);
  await Promise.all(Array.from({ length: 500 }, () => taker.authenticate(token)));
  for (let call = 0; call < 500; call++) expect(await taker.authenticate(token)).toMatchObject({ userId: 'ann' });
  expect(taker.asked).toEqual(['acme']);
});

test('after a minute it is verified again', async () => {
  const taker = taking(identityOf(entryOf(issuer.url)));
  const token = await issuer.token(good);
  await taker.authenticate(token);
  taker.ahead += 60_000;
  await taker.authenticate(token);
  expect(taker.asked).toEqual(['acme', 'acme']);
});

test('it ends when it ends, remembered or not, and with it what it may be too old for', async () => {
  const taker = taking(identityOf(entryOf(issuer.url)));
  const now = Math.floor(Date.now() / 1000);
  const token = await issuer.token({ ...good, exp: now + 20 });
  expect(await taker.authenticate(token)).toBeDefined();
  taker.ahead += 27_000;
  expect((await refusalOf(taker.authenticate(token))).expired).toBe(true);

  const strict = taking(identityOf(entryOf(issuer.url, `${asApprover}, max_age_seconds: 20`)));
  const old = await issuer.token({ ...good, iat: now });
  expect(await strict.authenticate(old)).toBeDefined();
  strict.ahead += 27_000;
  expect((await refusalOf(strict.authenticate(old))).expired).toBe(true);
});

test('one that is refused is not remembered: a tenant that is made now counts from now on', async () => {
  const taker = taking(
    identityOf(entryOf(issuer.url, 'tenant: { claim: org }, role: { value: agent }, all_scopes: true')),
  );
  const token = await issuer.token({ ...good, org: 'gamma' });
  await refusalOf(taker.authenticate(token));
  await refusalOf(taker.authenticate(token));
  expect(taker.asked).toEqual(['gamma', 'gamma']);
});

test('a catalog that is read again counts at once, and what it still declares keeps its keys', async () => {
  const taker = taking(identityOf(entryOf(issuer.url)));
  const token = await issuer.token(good);
  expect(await taker.authenticate(token)).toMatchObject({ tenantId: 'acme', role: 'agent' });
  const fetched = issuer.asked.length;
  taker.identity = identityOf(entryOf(issuer.url, asApprover));
  expect(await taker.authenticate(token)).toMatchObject({ tenantId: 'beta', role: 'approver' });
  expect(issuer.asked).toHaveLength(fetched);

  taker.identity = identityOf(entryOf('https://other.example/'));
  expect((await refusalOf(taker.authenticate(token))).message).toContain('issuer is not declared');
  taker.identity = undefined;
  expect(await taker.authenticate(token)).toBeUndefined();
  // Declared again, an issuer is asked for its keys again: the way to be rid of a stolen one at once.
  taker.identity = identityOf(entryOf(issuer.url));
  expect(await taker.authenticate(token)).toBeDefined();
  expect(issuer.asked.length).toBeGreaterThan(fetched);
});

test('a token that was good is recognised, and one that never was is not', async () => {
  const taker = taking(identityOf(entryOf(issuer.url)));
  const [token, another] = [await issuer.token(good), await issuer.token({ ...good, aud: 'elsewhere' })];
  expect(taker.recognises(token)).toBe(false);
  await taker.authenticate(token);
  await refusalOf(taker.authenticate(another));
  expect([taker.recognises(token), taker.recognises(another)]).toEqual([true, false]);
});
