import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore, type Store } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let store: Store;

beforeEach(async () => {
  database = await createDatabase();
  store = await openStore({ url: database.appUrl, poolSize: 4 });
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

async function firstKeys() {
  const keys = await store.credentials.createFirstTenant();
  if (keys === undefined) throw new Error('there was a tenant already');
  return keys;
}

test('of four servers that start at once one makes the first tenant', async () => {
  const stores = await Promise.all([1, 2, 3, 4].map(() => openStore({ url: database.appUrl, poolSize: 2 })));
  const made = await Promise.all(stores.map(({ credentials }) => credentials.createFirstTenant()));
  await Promise.all(stores.map((each) => each.close()));
  expect(made.filter((keys) => keys !== undefined)).toHaveLength(1);
  expect(await database.query('select id from tenant')).toEqual([{ id: 'demo' }]);
  expect(await database.query('select from credential')).toHaveLength(3);
  expect(await store.credentials.createFirstTenant()).toBeUndefined();
});

test('a key says whose it is, what it may do, and for which tenant', async () => {
  const keys = await firstKeys();
  expect(keys.tenant).toBe('demo');
  for (const role of ['agent', 'approver', 'operator'] as const) {
    expect(keys[role]).toMatch(/^tth_demo_[0-9a-f]{48}$/);
    const principal = await store.credentials.authenticate(keys[role]);
    expect(principal).toMatchObject({ tenantId: 'demo', userId: `demo-${role}`, role, scopes: null });
  }
});

test('a credential can be good for some scopes only', async () => {
  const { agent } = await firstKeys();
  await database.query(`update credential set scopes = '{store-12,"store, 13"}' where role = 'agent'`);
  expect((await store.credentials.authenticate(agent))?.scopes).toEqual(['store-12', 'store, 13']);
});

test('a key that is wrong in any part is nobody', async () => {
  const { agent } = await firstKeys();
  await store.credentials.createTenant('globex');
  const last = agent.endsWith('0') ? '1' : '0';
  const wrong = [
    '',
    'Bearer',
    agent.toUpperCase(),
    agent.replace('tth_demo_', 'tth_globex_'),
    `${agent.slice(0, -1)}${last}`,
    `${agent}0`,
    ` ${agent}`,
    `${agent}\n`,
    agent.replace('demo', 'demo\u0000'),
    `tth_${'x'.repeat(64)}_${'0'.repeat(48)}`,
    'tth__'.padEnd(53, '0'),
  ];
  for (const key of wrong) expect(await store.credentials.authenticate(key), JSON.stringify(key)).toBeUndefined();
});

test('no key is stored, only its hash and how it begins', async () => {
  const keys = await firstKeys();
  const stored = JSON.stringify(await database.query('select c::text as row from credential c'));
  for (const role of ['agent', 'approver', 'operator'] as const) {
    expect(stored).toContain(keys[role].slice(0, 15));
    expect(stored).not.toContain(keys[role].slice(9, 20));
  }
});

test('a key that was just good is not looked up again, and one that was not is', async () => {
  const { agent, approver } = await firstKeys();
  expect(await store.credentials.authenticate(agent)).toBeDefined();
  const rows = await database.query<{ key_hash: Buffer }>(`select key_hash from credential where role = 'approver'`);
  await database.query(`update credential set key_hash = sha256(id::text::bytea)`);
  expect((await store.credentials.authenticate(agent))?.role).toBe('agent');
  expect(await store.credentials.authenticate(approver)).toBeUndefined();
  await database.query(`update credential set key_hash = $1 where role = 'approver'`, [rows[0]?.key_hash]);
  expect((await store.credentials.authenticate(approver))?.role).toBe('approver');
});

test('a tenant is made once, and only with an id that a key can hold', async () => {
  const made = await store.credentials.createTenant('globex-2');
  expect((await store.credentials.authenticate(made.approver))?.tenantId).toBe('globex-2');
  await expect(store.credentials.createTenant('globex-2')).rejects.toMatchObject({ code: '23505' });
  for (const id of ['', '-a', 'A', 'a_b', 'x'.repeat(64)])
    await expect(store.credentials.createTenant(id)).rejects.toThrow(RangeError);
  expect(await database.query('select from credential')).toHaveLength(3);
});
