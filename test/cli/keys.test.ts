import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore, type Store } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { tether } from './run.ts';

let database: TestDatabase;
/** A server that runs on the same database. */
let server: Store;

beforeAll(async () => {
  database = await createDatabase();
  server = await openStore({ url: database.url, poolSize: 2 });
  await database.query(`insert into tenant (id) values ('acme')`);
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

const keys = (...args: string[]) => tether(['keys', ...args], { DATABASE_URL: database.url });
const whoIs = (key: string) => server.credentials.authenticate(key);

interface Made {
  readonly key: string;
  readonly credential: { readonly id: string; readonly prefix: string } & Readonly<Record<string, unknown>>;
}

async function made(...args: string[]): Promise<Made> {
  const { out, err, code } = await keys('create', '--tenant', 'acme', '--json', ...args);
  expect({ err, code }).toEqual({ err: '', code: 0 });
  return JSON.parse(out);
}

describe('tether keys', { timeout: 120_000 }, () => {
  test('makes a tenant with a key of its operator, which every server takes from then on', async () => {
    const { out, err, code } = await keys('create', '--tenant', 'globex', '--new-tenant');
    expect({ err, code }).toEqual({ err: '', code: 0 });
    const [key = ''] = /tth_globex_[0-9a-f]{48}/.exec(out) ?? [];
    expect(await whoIs(key)).toMatchObject({
      tenantId: 'globex',
      role: 'operator',
      userId: 'globex-operator',
      scopes: null,
    });
    const again = await keys('create', '--tenant', 'globex', '--new-tenant');
    expect(again).toMatchObject({ out: '', code: 1, err: expect.stringContaining('leave --new-tenant out') });
    const none = await keys('create', '--tenant', 'initech', '--role', 'agent', '--json');
    expect(none).toMatchObject({ code: 1, err: '' });
    expect(JSON.parse(none.out)).toEqual({
      error: {
        ...{ code: 'REFUSED', message: expect.stringContaining('--new-tenant') },
        ...{ effect: 'NONE', retryable: false, retry_after_ms: null },
      },
    });
    expect(await database.query(`select from tenant where id = 'initech'`)).toHaveLength(0);
  });

  test('makes a key as it is told: role, user, scopes, name, end; and records who made it', async () => {
    const { key, credential } = await made(
      ...['--role', 'agent', '--user', 'bot', '--scope', 'store-12', '--scope', 'store 13'],
      ...['--name', 'till', '--expires', '90d'],
    );
    expect(await whoIs(key)).toMatchObject({ role: 'agent', userId: 'bot', scopes: ['store-12', 'store 13'] });
    expect(credential).toMatchObject({ tenant_id: 'acme', all_scopes: false, name: 'till', revoked_at: null });
    const days = (Date.parse(String(credential.expires_at)) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThan(90.1);
    const trail = await database.query(
      'select type, actor_credential, actor_user from admin_event where subject = $1',
      [credential.id],
    );
    expect(trail).toEqual([
      { type: 'CREDENTIAL_CREATED', actor_credential: 'tether keys', actor_user: userInfo().username },
    ]);
  });

  test('replaces a key and revokes it, and a server that runs takes the old one no more', async () => {
    const { key, credential } = await made('--role', 'approver');
    expect(await whoIs(key)).toBeDefined();
    const rotated: Made = JSON.parse((await keys('rotate', credential.id, '--tenant', 'acme', '--json')).out);
    expect(await whoIs(key)).toBeUndefined();
    expect(await whoIs(rotated.key)).toMatchObject({ credentialId: credential.id });
    const revoked = await keys('revoke', credential.id.toUpperCase(), '--tenant', 'acme');
    expect(revoked).toMatchObject({ err: '', code: 0, out: expect.stringContaining('revoked; no server takes it') });
    expect(await whoIs(rotated.key)).toBeUndefined();
    const over = await keys('rotate', credential.id, '--tenant', 'acme');
    expect(over).toMatchObject({ out: '', code: 1, err: expect.stringContaining('was revoked') });
  });

  test('takes the old key too for as long as it is told', async () => {
    const { key, credential } = await made('--role', 'agent');
    const rotated = await keys('rotate', credential.id, '--tenant', 'acme', '--overlap', '24h');
    expect(rotated.out).toMatch(/good, its old key too until 20/);
    expect(await whoIs(key)).toMatchObject({ credentialId: credential.id });
  });

  test('lists every key by how it begins, and never a key', async () => {
    const { key, credential } = await made('--role', 'agent', '--name', 'a\u202eb');
    const { out, err, code } = await keys('list', '--tenant', 'acme');
    expect({ err, code }).toEqual({ err: '', code: 0 });
    const rows = await database.query(`select from credential where tenant_id = 'acme'`);
    expect(out.trimEnd().split('\n')).toHaveLength(rows.length);
    expect(out.split('\n')[0]).toContain(`${credential.id}  agent     ${credential.prefix}…`);
    expect(out).toContain('"a\\u202eb"');
    expect(out).not.toContain(key.slice(0, 20));
    const asJson = await keys('list', '--tenant', 'acme', '--json');
    expect(JSON.parse(asJson.out).credentials).toHaveLength(rows.length);
    expect(asJson.out).not.toContain(key.slice(0, 20));
  });

  test('is the way back in: makes an operator when there is no operator’s key left, and revokes not the last', async () => {
    await database.query(`update credential set revoked_at = now() where tenant_id = 'acme' and role = 'operator'`);
    const { key, credential } = await made('--role', 'operator');
    expect(await whoIs(key)).toMatchObject({ role: 'operator' });
    const refused = await keys('revoke', credential.id, '--tenant', 'acme', '--json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject({ error: { code: 'LAST_OPERATOR' } });
    expect(await whoIs(key)).toBeDefined();
    const elsewhere = await keys('revoke', credential.id, '--tenant', 'globex', '--json');
    expect(JSON.parse(elsewhere.out)).toMatchObject({ error: { code: 'CREDENTIAL_NOT_FOUND' } });
  });

  test.each<[readonly string[], RegExp]>([
    [[], /Usage: tether keys /],
    [['creat', '--tenant', 'acme'], /Did you mean create\?/],
    [['create', '--role', 'agent'], /--tenant <id>/],
    [['create', '--tenant', 'acme'], /--role <role>.*agent, approver or operator/],
    [['create', '--tenant', 'acme', '--role', 'boss'], /Allowed choices are agent, approver, operator/],
    [['create', '--tenant', 'A_b', '--role', 'agent'], /a-z, 0-9 and -/],
    [['create', '--tenant', 'acme', '--role', 'agent', '--expires', 'tomorrow'], /90s, 15m, 24h, 7d/],
    [['create', '--tenant', 'acme', '--role', 'agent', '--user', ''], /1 to 256 characters/],
    [['rotate', `tth_acme_${'5e'.repeat(24)}`, '--tenant', 'acme'], /not the key/],
    [['rotate', '0b6a4c1e-7f0e-4a51-9d0e-6b2c8f4a1d33', '--tenant', 'acme', '--overlap', '31d'], /30d at most/],
  ])('called in a wrong way says so, exits with 2 and repeats no key: %j', async (args, message) => {
    const { out, err, code } = await keys(...args);
    expect(err).toMatch(message);
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(err).not.toContain('5e5e5e');
  });

  test('says that the database is away, without the password', async () => {
    const env = { DATABASE_URL: 'postgres://tether:geheim@127.0.0.1:1/tether' };
    const { out, err, code } = await tether(['keys', 'list', '--tenant', 'acme'], env);
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toMatch(/^The database cannot be used: .*ECONNREFUSED/);
    expect(err).not.toContain('geheim');
  });

  test('helps with what it does, examples and exit codes', async () => {
    const { out, code } = await keys('--help');
    expect(code).toBe(0);
    for (const word of [
      'create',
      'list',
      'rotate',
      'revoke',
      'TETHER_DATA_DIR',
      'Examples:',
      'Exit codes:',
      '--new-tenant',
    ])
      expect(out).toContain(word);
  });
});

test('without DATABASE_URL it is the embedded database of the data directory', { timeout: 120_000 }, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tether-keys-'));
  try {
    const env = { TETHER_DATA_DIR: dataDir };
    const first = await tether(['keys', 'create', '--tenant', 'acme', '--new-tenant', '--json'], env);
    expect(first).toMatchObject({ err: '', code: 0 });
    const { credential }: Made = JSON.parse(first.out);
    const listed = await tether(['keys', 'list', '--tenant', 'acme', '--json'], env);
    expect(JSON.parse(listed.out)).toEqual({ credentials: [credential] });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
