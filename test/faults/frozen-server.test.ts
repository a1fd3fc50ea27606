import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { ActionState, AttemptOutcome } from '@tether/proto/tether/v1/action_pb.ts';
import { ConfirmStatus } from '@tether/proto/tether/v1/action_service_pb.ts';
import { Effect } from '@tether/proto/tether/v1/effect_pb.ts';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { certificate, privateKey } from '../dispatch/loopback-certificate.ts';
import { openPlace, type Place, proposal, until } from './place.ts';
import type { ServerProcess } from './server-process.ts';

/** A process that is stopped has no clock that a test could move: these two wait, together, once. */
const overTenSecondsMs = 10_500;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function opened(place: Promise<Place>): Promise<Place> {
  const open = await place;
  closers.push(open.close);
  return open;
}

async function staged(server: ServerProcess): Promise<string> {
  return (await server.agent.stage(proposal())).action?.id ?? '';
}

/** A TLS endpoint behind a relay that keeps the handshake back until it is told, and counts what came through. */
async function gatedEndpoint(): Promise<{ url: string; held: Promise<void>; open(): void; bytes(): number }> {
  let bytes = 0;
  const inner = createTlsServer({ cert: certificate, key: privateKey }, (socket) => {
    socket.on('error', () => undefined).on('data', (chunk) => (bytes += chunk.length));
  });
  inner.listen(0, '127.0.0.1');
  await once(inner, 'listening');
  const held = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const relay = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    held.resolve();
    void gate.promise.then(() => {
      const upstream = connect((inner.address() as AddressInfo).port, '127.0.0.1');
      sockets.add(upstream.on('error', () => undefined));
      socket.pipe(upstream).pipe(socket);
    });
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    relay.close();
    inner.close();
  });
  const url = `https://127.0.0.1:${(relay.address() as AddressInfo).port}/tools`;
  return { url, held: held.promise, open: gate.resolve, bytes: () => bytes };
}

/** A server that trusts the endpoint's certificate. */
async function trusting(place: Place): Promise<ServerProcess> {
  const trusted = join(place.directory, 'ca.pem');
  await writeFile(trusted, certificate);
  return place.server({ env: { NODE_EXTRA_CA_CERTS: trusted } });
}

/** The confirm's claim waits for the row; resolves with what lets it through. */
async function lockRow(
  { database }: Place,
  id: string,
): Promise<{ waiting(): Promise<void>; release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('begin');
  await client.query('select from action where id = $1 for update', [id]);
  return {
    async waiting() {
      const blocked = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await until(
        () => database.query(blocked),
        (rows) => rows.length > 0,
      );
    },
    async release() {
      await client.query('rollback');
      await client.end();
    },
  };
}

async function stateOf({ database }: Place, id: string): Promise<string> {
  const [row] = await database.query<{ state: string }>('select state from action where id = $1', [id]);
  return row?.state ?? '';
}

test('a server stopped between its claim and the send for longer than 10 s sends nothing once it goes on', async () => {
  const place = await opened(openPlace());
  const server = await place.server();
  const id = await staged(server);
  const gated = await gatedEndpoint();
  const secure = await opened(openPlace({ endpointUrl: gated.url }));
  const connecting = await trusting(secure);
  const other = await staged(connecting);

  // One is stopped while it shakes hands with the endpoint, which answers meanwhile…
  const otherConfirmed = connecting.approver.confirm({ actionId: other });
  await gated.held;
  expect(await stateOf(secure, other)).toBe('EXECUTING');
  connecting.signal('SIGSTOP');
  gated.open();

  // …the other while it waits for the reply of its claim, which the database commits meanwhile.
  const row = await lockRow(place, id);
  const confirmed = server.approver.confirm({ actionId: id });
  await row.waiting();
  server.signal('SIGSTOP');
  await row.release();
  await until(
    () => stateOf(place, id),
    (state) => state === 'EXECUTING',
  );

  await delay(overTenSecondsMs);
  server.signal('SIGCONT');
  connecting.signal('SIGCONT');
  for (const { status, action } of await Promise.all([confirmed, otherConfirmed])) {
    expect(status).toBe(ConfirmStatus.FAILED_RETRYABLE);
    expect(action).toMatchObject({ state: ActionState.PENDING, effect: Effect.NONE, attemptsUsed: 1 });
    expect(action?.attempts).toMatchObject([{ outcome: AttemptOutcome.FAILED, effect: Effect.NONE }]);
  }
  expect(place.endpoint.calls).toEqual([]);
  expect(gated.bytes()).toBe(0);
}, 90_000);

test('a server stopped there for a moment only sends all the same', async () => {
  const gated = await gatedEndpoint();
  const place = await opened(openPlace({ endpointUrl: gated.url }));
  const server = await trusting(place);
  const id = await staged(server);
  void server.approver.confirm({ actionId: id }).catch(() => undefined);
  await gated.held;
  server.signal('SIGSTOP');
  gated.open();
  server.signal('SIGCONT');
  await until(
    async () => gated.bytes(),
    (bytes) => bytes > 0,
  );
}, 60_000);
