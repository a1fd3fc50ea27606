import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import { Effect } from '@tether/proto/tether/v1/effect_pb.ts';
import { ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { watchHealth } from '../support/health-client.ts';
import { startRefusing } from '../support/refusing-database.ts';
import { runServer, type ServerProgram } from '../support/server-program.ts';
import { createWay, type Way } from '../support/way.ts';

vi.setConfig({ testTimeout: 60_000 });

let directory: string;
let database: TestDatabase;
const servers: ServerProgram[] = [];
const ways: Way[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tether-start-'));
  await writeFile(join(directory, 'tether.yaml'), catalog);
  database = await createDatabase({ empty: true });
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.signal('SIGKILL');
    await server.ended;
  }
  for (const way of ways.splice(0)) await way.close();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

const catalog = `
version: 1
endpoints: { pos: { transport: json, url: "http://127.0.0.1:1/tools" } }
tools:
  void_ticket: { endpoint: pos, is_write: true, description: Void a ticket., input: { type: object } }
`;

function run(databaseUrl: string, more: Readonly<Record<string, string>> = {}): ServerProgram {
  const server = runServer({
    DATABASE_URL: databaseUrl,
    ...more,
    TETHER_DATA_DIR: directory,
    TETHER_CATALOG: join(directory, 'tether.yaml'),
  });
  servers.push(server);
  return server;
}

async function shutWay(): Promise<Way> {
  const way = await createWay(database.url, { shut: true });
  ways.push(way);
  return way;
}

async function ask(url: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
}

/** What a stage comes to by each door. */
async function stageByBoth(doors: { http: string; grpc: string }, key: string) {
  const transports = [
    createConnectTransport({ baseUrl: doors.http, httpVersion: '1.1' }),
    createGrpcTransport({ baseUrl: `http://${doors.grpc}` }),
  ];
  return Promise.all(
    transports.map((transport) =>
      createClient(ActionService, transport)
        .stage({ tool: 'void_ticket', argumentsJson: '{}' }, { headers: { authorization: `Bearer ${key}` } })
        .then(
          () => 'staged' as const,
          (error: unknown) => {
            const reason = ConnectError.from(error);
            const [detail] = reason.findDetails(ActionableErrorSchema);
            return { code: reason.code, effect: detail?.effect, retryable: detail?.retryable, detail: detail?.code };
          },
        ),
    ),
  );
}

const refused = { code: Code.Unavailable, effect: Effect.NONE, retryable: true, detail: 'UNAVAILABLE' };
const away = 'the database cannot be used yet; it is tried again until it can';

test('a server that starts before its database is live and not ready, refuses calls, and serves when the database comes', async () => {
  const way = await shutWay();
  const server = run(way.url);
  const doors = await server.doors();
  await server.said(away);
  const health = await watchHealth(doors.grpc, 'tether.v1.ActionService');
  expect(await ask(`${doors.http}/livez`)).toEqual({ status: 200, body: { status: 'ok' } });
  expect(await ask(`${doors.http}/readyz`)).toEqual({
    status: 503,
    body: { status: 'starting', checks: { database: 'unreachable', catalog: 'ok' } },
  });
  expect(await stageByBoth(doors, 'tth_demo_whatever')).toEqual([refused, refused]);
  expect(health.heard).toEqual(['NOT_SERVING']);
  expect(server.out).toEqual([]);

  await way.open();
  await server.ready();
  await health.until('SERVING');
  expect(await ask(`${doors.http}/readyz`)).toEqual({
    status: 200,
    body: { status: 'ready', checks: { database: 'ok', catalog: 'ok' } },
  });
  const { agent } = JSON.parse(await readFile(join(directory, 'keys.json'), 'utf8'));
  expect(server.out.join('\n')).toContain(agent);
  expect(await stageByBoth(doors, agent)).toEqual(['staged', 'staged']);
  const jobs = await database.query('select from graphile_worker.jobs');
  expect(jobs.length).toBeGreaterThan(0);
  health.close();
  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);
});

test('that the database is away is told to the log when it changes, not for each try', async () => {
  const way = await shutWay();
  const server = run(way.url);
  await server.said(away);
  const starting = await startRefusing('57P03');
  await way.open(starting.url);
  // A try that fails asks once, beside what the readiness asks.
  await starting.refused(12);
  await way.close();
  const again = () => reasons(server).findLastIndex((reason) => reason.includes('ECONNREFUSED'));
  await expect.poll(again, { timeout: 30_000 }).toBeGreaterThan(0);
  await way.open(database.url);
  await server.ready();
  for (const reason of ['ECONNREFUSED', '57P03'])
    expect(reasons(server).filter((told) => told.includes(reason))).toHaveLength(reason === '57P03' ? 1 : 2);
  starting.close();
});

function reasons(server: ServerProgram): string[] {
  return server.log.filter(({ msg }) => msg === away).map(({ reason }) => String(reason));
}

test('a server that waits for its database ends in order when it is told to', async () => {
  const server = run((await shutWay()).url);
  await server.said(away);
  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(server.out).toEqual([]);
});

function urlWith(change: Partial<Pick<URL, 'username' | 'password' | 'pathname'>>): string {
  return Object.assign(new URL(database.url), change).href;
}

test.each([
  ['a wrong password', { password: 'wrong' }, /password authentication failed/],
  ['a database that there is not', { pathname: '/nowhere' }, /database "nowhere" does not exist/],
] as const)('%s ends the start with the reason', async (_, change, reason) => {
  const server = run(urlWith(change));
  expect(await server.ended).toBe(1);
  expect(server.log.at(-1)?.text).toMatch(
    /^tether cannot start: the database that DATABASE_URL names cannot be used: /,
  );
  expect(server.log.at(-1)?.text).toMatch(reason);
  expect(server.out).toEqual([]);
});

test.each([
  ['owner', /the database that TETHER_OWNER_DATABASE_URL names cannot be used: .*authentication failed/],
  ['server', /the database that DATABASE_URL names cannot be used: .*authentication failed/],
])(
  'of two users, the reason names the setting of the %s when that is the one who is not let in',
  async (who, reason) => {
    const name = `app_${process.pid}`;
    await database.query(`create role ${name} login password 'app'`);
    try {
      const app = urlWith({ username: name, password: who === 'server' ? 'wrong' : 'app' });
      const owner = urlWith(who === 'owner' ? { password: 'wrong' } : {});
      const server = run(app, { TETHER_OWNER_DATABASE_URL: owner });
      expect(await server.ended).toBe(1);
      expect(server.log.at(-1)?.text).toMatch(reason);
    } finally {
      await database.query(`drop role ${name}`);
    }
  },
);

test('so does a user who may not create tables', async () => {
  const name = `guest_${process.pid}`;
  await database.query(`create role ${name} login password 'guest'`);
  const server = run(urlWith({ username: name, password: 'guest' }));
  expect(await server.ended).toBe(1);
  expect(server.log.at(-1)?.text).toMatch(/permission denied for schema public/);
  await database.query(`drop role ${name}`);
});

test('a database that comes and turns out to be the wrong one ends the start too', async () => {
  const way = await shutWay();
  const server = run(Object.assign(new URL(way.url), { password: 'wrong' }).href);
  await server.said(away);
  await way.open();
  expect(await server.ended).toBe(1);
  expect(server.log.at(-1)?.text).toMatch(/password authentication failed/);
});

test('a database that goes away later makes it not ready, and ready again when it is back, by itself', async () => {
  const way = await createWay(database.url);
  ways.push(way);
  const server = run(way.url);
  const doors = await server.doors();
  await server.ready();
  const { agent } = JSON.parse(await readFile(join(directory, 'keys.json'), 'utf8'));
  const health = await watchHealth(doors.grpc, '');
  await health.until('SERVING');

  await way.close();
  await health.until('NOT_SERVING');
  expect(await ask(`${doors.http}/readyz`)).toEqual({
    status: 503,
    body: { status: 'unavailable', checks: { database: 'unreachable', catalog: 'ok' } },
  });
  expect(await ask(`${doors.http}/livez`)).toMatchObject({ status: 200 });
  expect(await stageByBoth(doors, agent)).toEqual([refused, refused]);

  await way.open();
  await health.until('SERVING');
  expect(await ask(`${doors.http}/readyz`)).toMatchObject({ status: 200 });
  expect(await stageByBoth(doors, agent)).toEqual(['staged', 'staged']);
  health.close();
});
