import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Credential, NewCredential } from '../../server/lifecycle/ports/credentials.ts';
import { hashOfKey } from '../../server/store/credentials/key.ts';
import { openStore, type Store } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const by = { credentialId: 'cred-ann', userId: 'ann' };

let database: TestDatabase;
/** Two replicas. */
let here: Store;
let there: Store;

beforeEach(async () => {
  database = await createDatabase();
  here = await openStore({ url: database.appUrl, poolSize: 4 });
  there = await openStore({ url: database.appUrl, poolSize: 4 });
  await database.query(`insert into tenant (id) values ('acme'), ('globex')`);
});
afterEach(async () => {
  await Promise.all([here.close(), there.close()]);
  await database.drop();
});

async function made(change: Partial<NewCredential> = {}): Promise<{ credential: Credential; key: string }> {
  const wanted: NewCredential = {
    tenantId: 'acme',
    role: 'agent',
    userId: 'bot',
    scopes: null,
    name: '',
    expiresAt: null,
    ...change,
  };
  const created = await here.credentials.create(wanted, by, false);
  if (created.kind !== 'created') throw new Error(created.kind);
  return created;
}

const placeOf = ({ id, tenantId }: Credential) => ({ tenantId, credentialId: id });
const whoIs = (store: Store, key: string) => store.credentials.authenticate(key);
/** A replica may say "no" or fail, but not "yes". */
const isTaken = (store: Store, key: string) =>
  whoIs(store, key).then(
    (principal) => principal !== undefined,
    () => false,
  );

describe('a key that is revoked on one replica', () => {
  test('is refused by the other on the very next call, however often it was taken there until then', async () => {
    const { credential, key } = await made();
    expect(await whoIs(there, key)).toMatchObject({ credentialId: credential.id });
    let revoked = false;
    const knock = async () => {
      while (!revoked) {
        await whoIs(there, key);
        await new Promise(setImmediate);
      }
    };
    const knocking = Promise.all([knock(), knock(), knock()]);
    const answer = await here.credentials.revoke(placeOf(credential), by);
    const next = await Promise.all(Array.from({ length: 100 }, () => whoIs(there, key)));
    expect(next.filter((principal) => principal !== undefined)).toEqual([]);
    expect(await whoIs(here, key)).toBeUndefined();
    expect(answer).toMatchObject({ kind: 'revoked', credential: { id: credential.id, revokedAt: expect.any(Date) } });
    revoked = true;
    await knocking;
  });

  test('is refused by the other also when every connection of that one was cut just before', async () => {
    const { credential, key } = await made();
    expect(await whoIs(there, key)).toBeDefined();
    await there.events.end();
    const cut = await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'tether%'`,
    );
    expect(cut.length).toBeGreaterThan(1);
    const third = await openStore({ url: database.appUrl, poolSize: 1 });
    await third.credentials.revoke(placeOf(credential), by);
    await third.close();
    expect(await isTaken(there, key)).toBe(false);
    expect(await isTaken(here, key)).toBe(false);
  });

  test('is found no more by a server of the version before, which knows of no revocation', async () => {
    const { credential, key } = await made();
    const asThen = () =>
      database.query(
        'select id, tenant_id, role, user_id, scopes, key_hash from credential where key_hash = $1 and tenant_id = $2',
        [hashOfKey(key), 'acme'],
      );
    expect(await asThen()).toHaveLength(1);
    await here.credentials.revoke(placeOf(credential), by);
    expect(await asThen()).toHaveLength(0);
  });

  test('stays revoked when it is revoked again, and that is told once', async () => {
    const { credential } = await made();
    const [first, second] = [
      await here.credentials.revoke(placeOf(credential), by),
      await there.credentials.revoke(placeOf(credential), by),
    ];
    expect(second).toEqual(first);
    expect(await database.query(`select from admin_event where type = 'CREDENTIAL_REVOKED'`)).toHaveLength(1);
  });
});

test('a credential ends when it expires, and one that has ended already is not made', async () => {
  const soon = new Date(Date.now() + 3_600_000);
  const { credential, key } = await made({ expiresAt: soon });
  expect(credential.expiresAt).toEqual(soon);
  expect(await whoIs(here, key)).toBeDefined();
  await database.query('update credential set expires_at = now() where id = $1', [credential.id]);
  expect(await whoIs(there, key)).toBeUndefined();
  const wanted = { tenantId: 'acme', role: 'agent', userId: 'bot', scopes: null, name: '' } as const;
  expect(await here.credentials.create({ ...wanted, expiresAt: new Date(0) }, by, false)).toEqual({ kind: 'past' });
  const newer = { ...wanted, tenantId: 'initech', expiresAt: new Date(0) };
  expect(await here.credentials.create(newer, by, true)).toEqual({ kind: 'past' });
  expect(await database.query(`select from tenant where id = 'initech'`)).toHaveLength(0);
  expect(await database.query('select from credential')).toHaveLength(1);
});

describe('a rotated credential', () => {
  test('keeps its id, takes the new key at once and the old one no more, on every replica', async () => {
    const { credential, key } = await made({ scopes: ['store-12'], name: 'till' });
    await whoIs(there, key);
    const rotated = await here.credentials.rotate({ ...placeOf(credential), overlapMs: 0 }, by);
    if (rotated.kind !== 'rotated') throw new Error(rotated.kind);
    for (const store of [here, there]) {
      expect(await whoIs(store, key)).toBeUndefined();
      expect(await whoIs(store, rotated.key)).toMatchObject({ credentialId: credential.id, scopes: ['store-12'] });
    }
    expect(rotated.credential).toMatchObject({ name: 'till', rotatedAt: expect.any(Date), previousKeyUntil: null });
    expect(rotated.key.startsWith(rotated.credential.prefix)).toBe(true);
  });

  test('takes the old key too while they overlap, and ends it then, or with the next rotation', async () => {
    const { credential, key } = await made();
    const place = { ...placeOf(credential), overlapMs: 3_600_000 };
    const second = await here.credentials.rotate(place, by);
    if (second.kind !== 'rotated') throw new Error(second.kind);
    expect(second.credential.previousKeyUntil?.getTime()).toBeGreaterThan(Date.now() + 3_500_000);
    for (const each of [key, second.key]) expect((await whoIs(there, each))?.credentialId).toBe(credential.id);
    const third = await here.credentials.rotate(place, by);
    if (third.kind !== 'rotated') throw new Error(third.kind);
    expect(await whoIs(there, key)).toBeUndefined();
    for (const each of [second.key, third.key]) expect((await whoIs(there, each))?.credentialId).toBe(credential.id);
    await database.query('update credential set previous_key_until = now()');
    const fresh = await openStore({ url: database.appUrl, poolSize: 1 });
    expect(await whoIs(fresh, second.key)).toBeUndefined();
    expect(await whoIs(fresh, third.key)).toBeDefined();
    await fresh.close();
    await here.credentials.revoke(placeOf(credential), by);
    expect(await whoIs(there, third.key)).toBeUndefined();
  });

  test('is not revived when it was revoked or has expired, and another tenant has none of that id', async () => {
    const { credential: revoked } = await made();
    const { credential: expired } = await made();
    await here.credentials.revoke(placeOf(revoked), by);
    await database.query('update credential set expires_at = now() where id = $1', [expired.id]);
    for (const credential of [revoked, expired]) {
      const rotated = await here.credentials.rotate({ ...placeOf(credential), overlapMs: 0 }, by);
      expect(rotated).toMatchObject({ kind: 'over', credential: { id: credential.id } });
    }
    const elsewhere = { tenantId: 'globex', credentialId: expired.id };
    expect(await here.credentials.rotate({ ...elsewhere, overlapMs: 0 }, by)).toEqual({ kind: 'not-found' });
    expect(await here.credentials.revoke(elsewhere, by)).toEqual({ kind: 'not-found' });
    expect(await database.query(`select from admin_event where type = 'CREDENTIAL_ROTATED'`)).toEqual([]);
  });
});

describe('the last operator of a tenant', () => {
  test('cannot be revoked; others do not count that are of some scopes, have ended, or are of another tenant', async () => {
    const { credential, key } = await made({ role: 'operator' });
    await made({ role: 'operator', scopes: ['store-12'] });
    await made({ role: 'operator', tenantId: 'globex' });
    await made({ role: 'approver' });
    const { credential: expired } = await made({ role: 'operator' });
    await database.query('update credential set expires_at = now() where id = $1', [expired.id]);
    expect(await here.credentials.revoke(placeOf(credential), by)).toEqual({ kind: 'last-operator' });
    expect(await whoIs(there, key)).toBeDefined();
    const { credential: second } = await made({ role: 'operator' });
    expect(await here.credentials.revoke(placeOf(credential), by)).toMatchObject({ kind: 'revoked' });
    expect(await here.credentials.revoke(placeOf(second), by)).toEqual({ kind: 'last-operator' });
    // What has ended locks nobody out.
    expect(await here.credentials.revoke(placeOf(expired), by)).toMatchObject({ kind: 'revoked' });
  });

  test('is left when all of them are revoked at the same time', async () => {
    const operators = [];
    for (let count = 0; count < 8; count++) operators.push(await made({ role: 'operator' }));
    const answers = await Promise.all(
      operators.map(({ credential }, index) =>
        (index % 2 === 0 ? here : there).credentials.revoke(placeOf(credential), by),
      ),
    );
    expect(answers.filter(({ kind }) => kind === 'last-operator')).toHaveLength(1);
    expect(await database.query('select from credential where revoked_at is null')).toHaveLength(1);
  });
});

test('every change is in the trail with who made it, and the trail cannot be changed', async () => {
  const { credential } = await made({ name: 'till' });
  await here.credentials.rotate({ ...placeOf(credential), overlapMs: 0 }, by);
  await here.credentials.revoke(placeOf(credential), { credentialId: 'cred-bob', userId: 'bob' });
  const trail = 'select tenant_id, subject, type, actor_credential, actor_user, at from admin_event order by seq';
  const common = { tenant_id: 'acme', subject: credential.id, at: expect.any(Date) };
  expect(await database.query(trail)).toEqual([
    { ...common, type: 'CREDENTIAL_CREATED', actor_credential: 'cred-ann', actor_user: 'ann' },
    { ...common, type: 'CREDENTIAL_ROTATED', actor_credential: 'cred-ann', actor_user: 'ann' },
    { ...common, type: 'CREDENTIAL_REVOKED', actor_credential: 'cred-bob', actor_user: 'bob' },
  ]);
  const [first] = await database.query<{ detail: string }>('select detail from admin_event order by seq');
  expect(JSON.parse(first?.detail ?? '')).toMatchObject({ prefix: credential.prefix, role: 'agent', name: 'till' });
  for (const change of ['update admin_event set actor_user = null', 'delete from admin_event', 'truncate admin_event'])
    await expect(database.query(change), change).rejects.toThrow('rows of admin_event are never changed');
});

test('the first keys of a tenant are in the trail too', async () => {
  await here.credentials.createTenant('initech');
  expect(await database.query('select type, actor_user from admin_event')).toEqual(
    Array(3).fill({ type: 'CREDENTIAL_CREATED', actor_user: null }),
  );
});

test('no key is kept anywhere, and no list tells one', async () => {
  const { credential, key } = await made();
  const rotated = await here.credentials.rotate({ ...placeOf(credential), overlapMs: 60_000 }, by);
  if (rotated.kind !== 'rotated') throw new Error(rotated.kind);
  const kept = JSON.stringify([
    await database.query('select c::text from credential c'),
    await database.query('select e::text from admin_event e'),
    await here.credentials.list({ tenantId: 'acme', after: null, limit: 10 }),
  ]);
  for (const each of [key, rotated.key]) expect(kept).not.toContain(each.slice(16, 28));
  expect(kept).toContain(rotated.credential.prefix);
});

test('a list tells the newest first, page by page, and of one tenant only', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) ids.push((await made()).credential.id);
  await made({ tenantId: 'globex' });
  const told: string[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const page = await there.credentials.list({ tenantId: 'acme', after, limit: 2 });
    told.push(...page.credentials.map(({ id }) => id));
    ({ more } = page);
    after = told.at(-1) ?? null;
  }
  expect(told).toEqual(ids.reverse());
});

test('a tenant is made together with its first credential, or not at all', async () => {
  const wanted = { role: 'operator', userId: 'ann', scopes: null, name: '', expiresAt: null } as const;
  const create = (tenantId: string, newTenant: boolean) =>
    here.credentials.create({ ...wanted, tenantId }, by, newTenant).then(({ kind }) => kind);
  expect(await create('initech', false)).toBe('no-tenant');
  expect(await create('initech', true)).toBe('created');
  expect(await create('initech', true)).toBe('tenant-exists');
  expect(await create('initech', false)).toBe('created');
  await expect(create('In itech', true)).rejects.toThrow(RangeError);
  expect(await database.query(`select from credential where tenant_id = 'initech'`)).toHaveLength(2);
});
