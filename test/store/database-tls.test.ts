import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { openStore } from '../../server/store/open.ts';
import { createOrm } from '../../server/store/orm.ts';
import { examine } from '../cli/examine.ts';
import { tether } from '../cli/run.ts';
import { authority, caller, otherAuthority } from '../dispatch/certificates.ts';
import { runServer } from '../support/server-program.ts';
import { type Arrival, startTlsDatabase, type TlsDatabase } from '../support/tls-database.ts';

vi.setConfig({ testTimeout: 60_000 });

let database: TlsDatabase;
let directory: string;
const file = (name: string) => join(directory, name);

beforeAll(async () => {
  database = await startTlsDatabase();
  directory = await mkdtemp(join(tmpdir(), 'tether-tls-'));
  const contents = {
    'root.pem': authority,
    'other.pem': otherAuthority,
    'client.pem': caller.cert,
    'client.key': caller.key,
    'tether.yaml': `version: 1
endpoints: { pos: { transport: json, url: "http://127.0.0.1:1/tools" } }
tools: { void_ticket: { endpoint: pos, is_write: true, description: Void a ticket., input: { type: object } } }
`,
  };
  for (const [name, text] of Object.entries(contents)) await writeFile(file(name), text);
});
afterAll(async () => {
  await database.stop();
  await rm(directory, { recursive: true, force: true });
});

function urlWith(
  parameters: Readonly<Record<string, string>>,
  over: { readonly host?: string | undefined } = {},
): string {
  const url = new URL(database.url);
  url.hostname = over.host ?? url.hostname;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

function settingsOf(url: string): Record<string, string> {
  const place = { TETHER_DATA_DIR: directory, TETHER_CATALOG: file('tether.yaml') };
  return { ...place, TETHER_HTTP_PORT: '0', TETHER_GRPC_PORT: '0', TETHER_LOG_LEVEL: 'warn', DATABASE_URL: url };
}

/** The names of files as paths. */
function inPlace(parameters: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return Object.fromEntries(given.map(([name, value = '']) => [name, value.endsWith('.pem') ? file(value) : value]));
}

/** By the pool, and by the session that listens. */
async function listenAndAsk(url: string): Promise<void> {
  const store = await openStore({ url: readConfig({ DATABASE_URL: url }).databaseUrl ?? '', poolSize: 1 });
  const heard = Promise.withResolvers<void>();
  store.events.listen('demo', () => heard.resolve());
  await heard.promise;
  await store.ping();
  await store.close();
}

/** Everything that opens connections, one after the other, with these settings. */
async function everyWayIn(url: string, tls: boolean): Promise<Arrival[]> {
  const settings = settingsOf(url);
  expect(await tether(['migrate'], settings)).toMatchObject({ code: 0, err: '' });
  const server = runServer(settings);
  await server.ready();
  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(server.log).toEqual([]);
  const [seen] = (await examine(settings)).of('database');
  expect(seen?.message).toMatch(tls ? /, over TLSv1\.\d$/ : /, in plain text$/);
  expect(await tether(['keys', 'list', '--tenant', 'demo'], settings)).toMatchObject({ code: 0, err: '' });
  await listenAndAsk(url);
  return await database.arrivals();
}

const everyName = ['tether', 'tether-doctor', 'tether-events', 'tether-jobs', 'tether-jobs-install', 'tether-migrate'];

test.each([
  { sslmode: 'disable', tls: false },
  { sslmode: 'verify-full', sslrootcert: 'root.pem', tls: true },
])('with sslmode=$sslmode every connection of server and command comes in the same way', async ({ tls, ...asked }) => {
  await database.arrivals();
  const arrivals = await everyWayIn(urlWith(inPlace(asked)), tls);
  expect(new Set(arrivals.map(({ application }) => application))).toEqual(new Set(everyName));
  expect(arrivals.filter((each) => each.tls !== tls)).toEqual([]);
});

test.each([
  // As PostgreSQL's manual has it: no certificate is looked at unless an authority is named.
  { sslmode: 'require', tls: true },
  { sslmode: 'require', sslrootcert: 'root.pem', tls: true },
  // An authority, and no name.
  { sslmode: 'verify-ca', sslrootcert: 'root.pem', host: '127.1', tls: true },
  { sslmode: 'require', sslnegotiation: 'direct', tls: true },
  { tls: false },
])('the pool and the session that listens come in by $sslmode alike', async ({ tls, host, ...asked }) => {
  await database.arrivals();
  await listenAndAsk(urlWith(inPlace(asked), { host }));
  const arrivals = await database.arrivals();
  expect(arrivals.map((each) => each.application).sort()).toEqual(['tether', 'tether-events']);
  expect(arrivals.map((each) => each.tls)).toEqual([tls, tls]);
});

test('a Unix socket is taken by its folder, where sslmode has no meaning', async () => {
  await database.arrivals();
  const url = new URL(database.url);
  const userinfo = `${url.username}:${url.password}`;
  const query = `host=${encodeURIComponent(tmpdir())}&port=${url.port}&sslmode=verify-full`;
  for (const address of [
    `postgresql://${userinfo}@${url.pathname}?${query}`,
    `postgres://${userinfo}@${encodeURIComponent(tmpdir())}:${url.port}${url.pathname}`,
  ]) {
    await listenAndAsk(address);
    const arrivals = await database.arrivals();
    expect(arrivals.map((each) => each.application).sort()).toEqual(['tether', 'tether-events']);
    expect(arrivals.map((each) => each.from)).toEqual(['[local]', '[local]']);
  }
});

test('every connection of the owner comes in as the address of the owner says', async () => {
  await database.query(
    `do $$ begin create role lodger login password 'secret'; exception when others then null; end $$`,
  );
  await database.arrivals();
  const app = new URL(database.url);
  Object.assign(app, { username: 'lodger', password: 'secret' });
  const owner = urlWith({ sslmode: 'verify-full', sslrootcert: file('root.pem') });
  const settings = { ...settingsOf(app.href), TETHER_OWNER_DATABASE_URL: owner };
  expect(await tether(['migrate'], settings)).toMatchObject({ code: 0, err: '' });
  await examine(settings);
  const arrivals = await database.arrivals();
  expect(arrivals.filter(({ user }) => user === 'lodger').map(({ tls }) => tls)).not.toContain(true);
  const ofOwner = arrivals.filter(({ user }) => user !== 'lodger');
  expect(ofOwner.length).toBeGreaterThan(3);
  expect(ofOwner.map(({ tls }) => tls)).not.toContain(false);
});

test('parameters reach the pool and the session that listens: a client certificate, a name, options', async () => {
  const url = urlWith({
    sslmode: 'verify-full',
    sslrootcert: file('root.pem'),
    sslcert: file('client.pem'),
    sslkey: file('client.key'),
    application_name: 'tether of a test',
    options: '-c work_mem=5MB',
    statement_timeout: '12345',
  });
  const store = await openStore({ url: readConfig({ DATABASE_URL: url }).databaseUrl ?? '', poolSize: 1 });
  const heard = Promise.withResolvers<void>();
  store.events.listen('demo', () => heard.resolve());
  await heard.promise;
  await store.ping();
  const seen = await database.query<{ client_dn: string }>(
    `select client_dn from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'tether of a test'`,
  );
  expect(seen).toEqual([{ client_dn: '/CN=tether' }, { client_dn: '/CN=tether' }]);
  await store.close();

  const orm = createOrm({ url: readConfig({ DATABASE_URL: url }).databaseUrl ?? '', poolSize: 1 });
  const shown = await orm.em.getConnection().execute(`select current_setting('work_mem') as work_mem,
    current_setting('statement_timeout') as statement_timeout`);
  await orm.close(true);
  expect(shown).toEqual([{ work_mem: '5MB', statement_timeout: '12345ms' }]);
});

test('a renewed client certificate is shown by the connections from then on, and one that is gone is no crash', async () => {
  const names = { sslcert: file('renewed.pem'), sslkey: file('renewed.key') };
  await writeFile(names.sslcert, caller.cert);
  await writeFile(names.sslkey, caller.key);
  const url = readConfig({ DATABASE_URL: urlWith({ sslmode: 'require', ...names }) }).databaseUrl ?? '';
  const store = await openStore({ url, poolSize: 1 });
  await rm(names.sslcert);
  await expect(store.ping()).rejects.toMatchObject({ name: 'StoreUnavailable', mayHaveCommitted: false });
  await writeFile(names.sslcert, caller.cert);
  await store.ping();
  await store.close();
});

test.each([
  ['of another authority', { sslmode: 'verify-full', sslrootcert: 'other.pem' }, 'localhost', /certificate/],
  [
    'of another authority, whatever its name',
    { sslmode: 'verify-ca', sslrootcert: 'other.pem' },
    'localhost',
    /certificate/,
  ],
  ['for another name', { sslmode: 'verify-full', sslrootcert: 'root.pem' }, '127.1', /altnames/],
])(
  'a server does not start with a database whose certificate is %s, and says what to check',
  async (_, parameters, host, why) => {
    await database.arrivals();
    const sslrootcert = file(parameters.sslrootcert);
    const settings = settingsOf(urlWith({ ...parameters, sslrootcert }, { host }));
    const server = runServer(settings);
    expect(await server.ended).toBe(1);
    const said = server.log.map(({ text }) => text).join('\n');
    expect(said).toMatch(why);
    expect(said).toMatch(/the database that DATABASE_URL names cannot be used: .*Check sslmode and sslrootcert/);
    expect((await examine(settings)).of('database')).toMatchObject([
      { status: 'fail', message: expect.stringMatching(why) },
    ]);
    expect(await database.arrivals()).toEqual([]);
  },
);
