import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, mkdtemp, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { migrateAll } from '../../server/prepare-schema.ts';
import { findBinaries, linkLibraries } from '../../server/store/embedded/binaries.ts';
import { type Embedded, type EmbeddedOptions, startEmbedded } from '../../server/store/embedded/embedded.ts';

const asRoot = process.getuid?.() === 0;
/** What these tests lose must not be lost to a process's death; a power failure is not among them. */
const settings = { fsync: 'off', shared_buffers: '16MB' };

/** Nobody else can enter it (mkdtemp makes it 0700), and its name wants quoting. */
let closed: string;
/** Made once and used by one test after the other, stopped between them, because making one takes a second. */
let lasting: string;
/** The data directory of the test; most use `lasting`. */
let dataDir: string;
let running: Embedded[];
let servers: ChildProcess[];

beforeAll(async () => {
  closed = await mkdtemp(join(tmpdir(), "tether embedded '$(x)' "));
  lasting = join(closed, 'data dir');
  await (await startEmbedded({ dataDir: lasting, settings })).stop();
});

afterAll(() => rm(closed, { recursive: true, force: true }));

beforeEach(() => {
  dataDir = lasting;
  running = [];
  servers = [];
});

afterEach(async () => {
  for (const server of servers) server.kill('SIGKILL');
  for (const database of running) await database.stop();
});

async function start(options: Partial<EmbeddedOptions> = {}): Promise<Embedded> {
  const database = await startEmbedded({ dataDir, settings, ...options });
  running.push(database);
  return database;
}

/** A server in a process of its own. */
async function startServer(): Promise<{ url: string; kill(): Promise<void> }> {
  const program = fileURLToPath(new URL('embedded-server.ts', import.meta.url));
  const server = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  servers.push(server);
  const [url] = await once(createInterface(server.stdout), 'line');
  return {
    url: String(url),
    async kill() {
      server.kill('SIGKILL');
      await once(server, 'exit');
    },
  };
}

async function query(url: string, sql: string): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

/** Writes something new, which `read` finds in the databases that have it. */
async function write(url: string): Promise<unknown[][]> {
  await query(url, 'create table if not exists kept (id int generated always as identity, answer int)');
  return query(url, 'insert into kept (answer) values (random(1, 1000000)) returning answer');
}

const read = (url: string) => query(url, 'select answer from kept order by id desc limit 1');
const startTime = (url: string) => query(url, 'select pg_postmaster_start_time()::text');
const pidFile = (root = join(dataDir, 'postgres')) => join(root, 'data', 'postmaster.pid');
const postmaster = async () => Number((await readFile(pidFile(), 'utf8')).split('\n')[0]);
const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('an embedded PostgreSQL', () => {
  test('starts from nothing, keeps fsync on, and keeps its data when it is stopped and started', async () => {
    dataDir = join(closed, 'new', 'data dir');
    const first = await start({ settings: {} });
    expect(first.reattached).toBe(false);
    expect(await query(first.ownerUrl, 'show fsync')).toEqual([['on']]);
    const written = await write(first.ownerUrl);
    await first.stop();
    expect(await isThere(pidFile())).toBe(false);
    await expect(read(first.ownerUrl)).rejects.toThrow('ECONNREFUSED');

    const second = await start();
    expect(second.reattached).toBe(false);
    expect(await read(second.ownerUrl)).toEqual(written);
  });

  test('is come to in its own way, whatever the environment asks of connections', async () => {
    // What is migrated here, the others find as it was.
    dataDir = join(closed, 'asked', 'data dir');
    const asked = {
      PGSSLMODE: 'require',
      PGSSLNEGOTIATION: 'direct',
      PGOPTIONS: '-c default_transaction_read_only=on',
    };
    for (const [name, value] of Object.entries({ ...asked, PGHOST: '192.0.2.1', PGPORT: '1', PGUSER: 'somebody' }))
      vi.stubEnv(name, value);
    try {
      const { url, ownerUrl } = await start();
      for (const each of [url, ownerUrl])
        expect(await query(each, 'show default_transaction_read_only')).toEqual([['off']]);
      const settings = { DATABASE_URL: url, TETHER_OWNER_DATABASE_URL: ownerUrl };
      const { databaseUrl, ownerDatabaseUrl } = readConfig(settings);
      const handedOn = { url: databaseUrl ?? '', ownerUrl: ownerDatabaseUrl ?? '' };
      for (const place of [{ url, ownerUrl }, handedOn]) await migrateAll(place, pino({ enabled: false }));
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('lets in nobody without its password, which only its owner can read', async () => {
    const { ownerUrl: url } = await start();
    const stranger = new URL(url);
    stranger.password = 'guessed';
    await expect(query(stranger.href, 'select 1')).rejects.toThrow('password authentication failed');
    const password = join(dataDir, 'postgres', 'data', 'tether-password');
    expect((await stat(password)).mode & 0o777).toBe(0o600);
    expect(await query(url, 'show unix_socket_directories')).toEqual([['']]);
  });

  describe('is used as a role that owns nothing', () => {
    const asApp =
      'select current_user, rolsuper or rolcreaterole or rolcreatedb from pg_roles where rolname = current_user';
    const appPassword = () => join(dataDir, 'postgres', 'data', 'tether-app-password');

    test('with a password of its own, which only its owner can read', async () => {
      const { url, ownerUrl } = await start();
      expect(await query(url, asApp)).toEqual([['tether_app', false]]);
      expect(await query(ownerUrl, 'select current_user')).toEqual([['tether']]);
      await expect(query(url, 'create table mine ()')).rejects.toThrow('permission denied');
      expect((await stat(appPassword())).mode & 0o777).toBe(0o600);
      expect(new URL(url).password).not.toBe(new URL(ownerUrl).password);
    });

    test('also in data that an earlier version made, and whatever became of role and file since', async () => {
      const first = await start();
      await query(first.ownerUrl, 'drop role tether_app');
      await rm(appPassword());
      const before = await start();
      expect(await query(before.url, asApp)).toEqual([['tether_app', false]]);
      await query(before.ownerUrl, `alter role tether_app superuser nologin password 'forgotten'`);
      expect(await query((await start()).url, asApp)).toEqual([['tether_app', false]]);
      await writeFile(appPassword(), '');
      expect(await query((await start()).url, asApp)).toEqual([['tether_app', false]]);
    });

    test('by servers that start at the same time alike', async () => {
      const first = await start();
      await query(first.ownerUrl, 'drop role tether_app');
      await rm(appPassword());
      const all = await Promise.all([1, 2, 3].map(() => start()));
      expect(new Set(all.map(({ url }) => url)).size).toBe(1);
      expect(await query(all[0]?.url ?? '', asApp)).toEqual([['tether_app', false]]);
    });
  });

  test('is found again by the next server when its own was killed', async () => {
    const server = await startServer();
    const written = await write(server.url);
    const started = await startTime(server.url);
    await server.kill();

    const next = await start();
    expect(next.reattached).toBe(true);
    expect(next.ownerUrl).toBe(server.url);
    expect(await read(next.ownerUrl)).toEqual(written);
    expect(await startTime(next.ownerUrl)).toEqual(started);
    // Whoever found it owns it.
    await next.stop();
    expect(await isThere(pidFile())).toBe(false);
  });

  test('recovers its data when it was killed together with its server', async () => {
    const server = await startServer();
    const written = await write(server.url);
    process.kill(await postmaster(), 'SIGKILL');
    await server.kill();

    const next = await start();
    expect(await read(next.ownerUrl)).toEqual(written);
  });

  test('is started again, at the same address, when it dies under a living server', async () => {
    const { ownerUrl: url } = await start();
    const written = await write(url);
    process.kill(await postmaster(), 'SIGKILL');
    await expect.poll(() => read(url).catch(() => 'away'), { timeout: 20_000 }).toEqual(written);
  });

  test('starts over a stale pid file that names a process that lives', async () => {
    const first = await start();
    const written = await write(first.ownerUrl);
    const stale = await readFile(pidFile(), 'utf8');
    await first.stop();
    await writeFile(pidFile(), stale.replace(/^\d+/, String(process.pid)));

    const second = await start();
    expect(second.reattached).toBe(false);
    expect(await read(second.ownerUrl)).toEqual(written);
  });

  test('is not taken for the database of a copy of its data directory', async () => {
    const original = await start();
    const written = await write(original.ownerUrl);
    await query(original.ownerUrl, 'checkpoint');
    const copied = join(closed, 'copy');
    await promisify(execFile)('cp', ['-a', dataDir, copied]);

    const second = await start({ dataDir: copied });
    expect(second.reattached).toBe(false);
    await query(second.ownerUrl, 'drop table kept');
    expect(await read(original.ownerUrl)).toEqual(written);
  });
});

describe('servers that share one data directory', () => {
  test('start one database when they start at once from nothing, and the last to leave stops it', async () => {
    dataDir = join(closed, 'shared');
    const both = await Promise.all([start(), start(), start()]);
    const [first, second, third] = both;
    expect(new Set(both.map(({ url }) => url)).size).toBe(1);
    expect(both.filter(({ reattached }) => !reattached)).toHaveLength(1);
    const url = first?.ownerUrl ?? '';
    const written = await write(url);
    await first?.stop();
    await second?.stop();
    expect(await read(url)).toEqual(written);
    await third?.stop();
    expect(await isThere(pidFile())).toBe(false);
  });

  test('do not wait for one that was killed', async () => {
    const server = await startServer();
    const second = await start();
    await server.kill();
    await second.stop();
    expect(await isThere(pidFile())).toBe(false);
  });
});

describe('a start that cannot succeed says what is wrong and what to do', () => {
  test('on a system without binaries', () => {
    expect(() => findBinaries('sunos-sparc')).toThrow(/no embedded PostgreSQL for sunos-sparc .*set DATABASE_URL/);
  });

  test('when the binaries are not installed', () => {
    const absent = process.platform === 'darwin' ? 'linux-x64' : 'darwin-arm64';
    expect(() => findBinaries(absent)).toThrow(/is not installed: run "npm ci" .*set DATABASE_URL/);
  });

  test('when PostgreSQL refuses, in its words', async () => {
    await expect(start({ settings: { ...settings, no_such_setting: '1' } })).rejects.toThrow(
      /did not start; its log is .*postgres\.log:\n.*unrecognized configuration parameter "no_such_setting"/s,
    );
  });

  test('when the data are of another version', async () => {
    const version = join(dataDir, 'postgres', 'data', 'PG_VERSION');
    const ours = await readFile(version);
    await writeFile(version, '12\n');
    await expect(start()).rejects.toThrow(
      /made by PostgreSQL 12, .* brings PostgreSQL \d+: dump it .*set DATABASE_URL/,
    );
    await writeFile(version, ours);
  });
});

test('the library links that an install without scripts leaves out are made', async () => {
  const native = join(closed, 'package', 'native');
  await mkdir(join(native, 'lib'), { recursive: true });
  await writeFile(join(native, 'lib', 'libpq.so.5.18'), 'library');
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
  await writeFile(join(native, 'pg-symlinks.json'), JSON.stringify(links));
  expect(await linkLibraries(native)).toBe(true);
  expect(await readlink(join(native, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
  expect(await linkLibraries(native)).toBe(true);
});

describe.runIf(asRoot)('as root', () => {
  test('it runs in a directory closed to others, and its files stay root’s', async () => {
    await start();
    expect((await stat(closed)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dataDir, 'postgres', 'data'))).uid).toBe(0);
  });

  describe('where user namespaces are forbidden', () => {
    let shared: string;
    const forbidden = () => ({ constraints: { namespaces: false, shared } });

    beforeEach(async () => {
      shared = await mkdtemp(join(tmpdir(), 'tether-shared-'));
      await chmod(shared, 0o755);
    });

    afterEach(async () => {
      for (const database of running) await database.stop();
      await rm(shared, { recursive: true, force: true });
    });

    const homeIn = async () => (await readFile(join(dataDir, 'postgres', 'moved-to'), 'utf8')).trim();

    test('it runs as another user, moves to where that user can go, and is found there again', async () => {
      dataDir = join(closed, 'moving');
      const first = await start(forbidden());
      const written = await write(first.ownerUrl);
      const home = await homeIn();
      expect(home.startsWith(shared)).toBe(true);
      expect((await stat(join(home, 'data'))).uid).not.toBe(0);
      expect((await start(forbidden())).reattached).toBe(true);
      for (const database of running) await database.stop();

      expect(await read((await start(forbidden())).ownerUrl)).toEqual(written);
    });

    test('it takes along the data from a time when they were allowed', async () => {
      dataDir = join(closed, 'following');
      const before = await start();
      const written = await write(before.ownerUrl);
      await before.stop();
      const after = await start(forbidden());
      expect(await read(after.ownerUrl)).toEqual(written);
      expect(await isThere(join(dataDir, 'postgres', 'data.moved'))).toBe(true);
      await after.stop();
      // The owner of the data decides from then on, whatever is allowed.
      expect(await read((await start()).ownerUrl)).toEqual(written);
    });

    test('it stays in a directory that others can enter', async () => {
      const open = join(shared, 'open');
      await start({ ...forbidden(), dataDir: open });
      expect((await stat(join(open, 'postgres', 'data'))).uid).not.toBe(0);
      expect(await isThere(join(open, 'postgres', 'moved-to'))).toBe(false);
    });
  });
});
