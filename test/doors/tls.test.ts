import { once } from 'node:events';
import { Agent, type RequestOptions, request } from 'node:https';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { Code } from '@connectrpc/connect';
import { expect, onTestFinished, test, vi } from 'vitest';
import { authority, caller, otherAuthority, server, stranger } from '../dispatch/certificates.ts';
import { certificate, privateKey } from '../dispatch/loopback-certificate.ts';
import { clientOf, keyOf, protocols } from './clients.ts';
import { gate } from './gate.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { actionId } from './scripted-lifecycle.ts';
import { type Contents, type FilesOfTls, filesOfTls } from './tls-files.ts';

async function openWith(contents: Contents): Promise<{ readonly doors: OpenDoors; readonly files: FilesOfTls }> {
  const files = await filesOfTls(contents);
  const doors = await openDoors({ tls: files, corsOrigins: ['https://console.example.com'] });
  onTestFinished(() => doors.close(0));
  return { doors, files };
}

/** Doors that only callers with a certificate of the authority are let in at. */
const openLocked = async () => (await openWith({ ...server, clientCa: authority })).doors;

interface Answered {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: what a stranger's program sees, without types
  readonly body: any;
}

async function ask({ httpPort }: OpenDoors, path: string, options: RequestOptions = {}): Promise<Answered> {
  const by = { host: '127.0.0.1', servername: 'localhost', port: httpPort, ca: authority };
  const sent = request({ ...by, path, agent: false, ...options });
  sent.end();
  const [answer] = await once(sent, 'response');
  return { status: answer.statusCode, headers: answer.headers, body: await json(answer).catch(() => undefined) };
}

/** A handshake to its end: what was agreed on, or why it failed. */
async function shake(port: number, options: ConnectionOptions): Promise<{ protocol: string | null; serial: string }> {
  const socket = connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: authority, ...options });
  try {
    await once(socket, 'secureConnect');
    return { protocol: socket.getProtocol(), serial: socket.getPeerCertificate().serialNumber };
  } finally {
    socket.destroy();
  }
}

test.each(protocols)('a call goes by TLS when the doors have a certificate, by %s', async (protocol) => {
  const { doors } = await openWith(server);
  expect(doors.httpAddress).toMatch(/^https:/);
  const client = clientOf(protocol, doors, { ca: authority });
  expect(await client.call('confirm', { actionId }, { headers: keyOf('approver') })).toMatchObject({ code: 0 });
  expect(await client.call('watch', {}, { headers: keyOf('agent') })).toMatchObject({ code: 0 });
  expect(await client.call('confirm', { actionId })).toMatchObject({ code: Code.Unauthenticated });
  client.close();
});

test.each(protocols)('who trusts another authority does not call, by %s', async (protocol) => {
  const { doors } = await openWith(server);
  const client = clientOf(protocol, doors, { ca: otherAuthority });
  const seen = await client.call('confirm', { actionId }, { headers: keyOf('approver'), timeoutMs: 5000 });
  client.close();
  expect(seen.code).not.toBe(0);
  expect(doors.script.calls).toEqual([]);
});

test('TLS is of version 1.2 or newer, at both doors', async () => {
  const { doors } = await openWith(server);
  for (const port of [doors.httpPort, doors.grpcPort]) {
    const ALPNProtocols = port === doors.grpcPort ? ['h2'] : ['http/1.1'];
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
      expect((await shake(port, { ALPNProtocols, minVersion: version, maxVersion: version })).protocol).toBe(version);
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await expect(shake(port, { ALPNProtocols, ...old })).rejects.toThrow(/protocol version/);
  }
});

test('plain text gets nothing from a door that speaks TLS, and the door lives on', async () => {
  const { doors } = await openWith(server);
  for (const port of [doors.httpPort, doors.grpcPort]) {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.write('GET /v1/actions HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'close');
    expect(received).not.toMatch(/HTTP/);
  }
  expect(await ask(doors, '/healthz')).toMatchObject({ status: 200 });
});

test('a browser that was here by TLS is told to come back by TLS only', async () => {
  const { doors } = await openWith(server);
  const { headers } = await ask(doors, '/v1/nothing');
  expect(headers['strict-transport-security']).toBe('max-age=31536000');
});

test('a renewed certificate is shown to new connections, and those there are stay', async () => {
  const { doors, files } = await openWith(server);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const first = await ask(doors, '/healthz', { agent });
  const [opened, goOn] = [gate(), gate()];
  doors.script.instead = () => {
    opened.open();
    return goOn.opened;
  };
  const client = clientOf('grpc', doors, { ca: authority });
  const running = client.call('confirm', { actionId }, { headers: keyOf('approver') });
  await opened.opened;
  const before = await shake(doors.httpPort, {});
  await files.replace({ cert: certificate, key: privateKey });
  await doors.renewCertificates();
  for (const port of [doors.httpPort, doors.grpcPort]) {
    const ALPNProtocols = port === doors.grpcPort ? ['h2'] : ['http/1.1'];
    await expect(shake(port, { ALPNProtocols })).rejects.toThrow(/self-signed|unable to verify/);
    expect((await shake(port, { ALPNProtocols, ca: certificate })).serial).not.toBe(before.serial);
  }
  // Its authority would not be found in the new certificate: these are the connections from before.
  expect(await ask(doors, '/healthz', { agent })).toMatchObject({ status: first.status });
  goOn.open();
  expect(await running).toMatchObject({ code: 0 });
  client.close();
});

test.each<[string, Partial<Contents>, RegExp]>([
  ['that does not fit its key', { cert: certificate }, /TETHER_TLS_KEY is not the key of the certificate/],
  ['that is cut off', { cert: server.cert.slice(0, 200) }, /TETHER_TLS_CERT holds no certificate in PEM/],
])('a renewal %s changes nothing, and the log says why', async (_, contents, why) => {
  const { doors, files } = await openWith(server);
  const before = await shake(doors.httpPort, {});
  await files.replace(contents);
  await doors.renewCertificates();
  expect(await shake(doors.httpPort, {})).toEqual(before);
  expect(doors.log.join('')).toMatch(why);
});

test.each<[string, Contents, RegExp]>([
  ['no certificate', { ...server, cert: 'hello' }, /TETHER_TLS_CERT holds no certificate in PEM/],
  ['no key', { ...server, key: server.cert }, /TETHER_TLS_KEY holds no private key in PEM without a passphrase/],
  ["another's key", { ...server, key: caller.key }, /TETHER_TLS_KEY is not the key of the certificate/],
  ['no authority', { ...server, clientCa: 'hello' }, /TETHER_TLS_CLIENT_CA holds no certificate in PEM/],
])('files with %s stop the start, by their setting, and are not repeated', async (_, contents, why) => {
  const tls = await filesOfTls(contents);
  const failed = await openDoors({ tls }).catch((error: unknown) => String(error));
  expect(failed).toMatch(why);
  expect(failed).not.toMatch(/hello|BEGIN|MII/);
});

test('every file that is not there is told at once', async () => {
  const tls = { cert: '/nowhere/c.pem', key: '/nowhere/k.pem', clientCa: '/nowhere/a.pem' };
  await expect(openDoors({ tls })).rejects.toThrow(
    /TETHER_TLS_CERT names a file .*ENOENT.*c\.pem\.\n.*TETHER_TLS_KEY .*k\.pem\.\n.*TETHER_TLS_CLIENT_CA .*a\.pem\./,
  );
});

test.each(protocols)(
  'where certificates are asked for, one lets in, and the key is still needed, by %s',
  async (protocol) => {
    const doors = await openLocked();
    const client = clientOf(protocol, doors, { ca: authority, ...caller });
    expect(await client.call('confirm', { actionId }, { headers: keyOf('approver') })).toMatchObject({ code: 0 });
    expect(await client.call('confirm', { actionId })).toMatchObject({ code: Code.Unauthenticated });
    client.close();
  },
);

test.each(
  protocols.flatMap((protocol) => [
    [protocol, 'without a certificate', {}] as const,
    [protocol, 'with one of another authority', stranger] as const,
  ]),
)('and a good key does not let in by %s %s', async (protocol, _, own) => {
  const doors = await openLocked();
  const client = clientOf(protocol, doors, { ca: authority, ...own });
  const seen = await client.call('confirm', { actionId }, { headers: keyOf('approver'), timeoutMs: 5000 });
  client.close();
  expect(seen.code).not.toBe(0);
  if (protocol !== 'grpc') {
    expect(seen.code).toBe(Code.Unauthenticated);
    expect(seen.message).toMatch(/client certificate/);
  }
  expect(doors.script.calls).toEqual([]);
});

test('the JSON door says in its own words that a certificate is missing, or does not count', async () => {
  const doors = await openLocked();
  const headers = keyOf('approver');
  const none = await ask(doors, '/v1/actions', { headers });
  expect(none).toMatchObject({ status: 401, body: { status: 'Unauthenticated', errorCode: 'UNAUTHENTICATED' } });
  expect(none.body.errorMessage).toMatch(/this connection shows none/);
  const other = await ask(doors, '/v1/actions', { headers, ...stranger });
  expect(other).toMatchObject({
    status: 401,
    body: { errorMessage: expect.stringMatching(/is not, or is out of date/) },
  });
  expect(await ask(doors, '/v1/actions', { headers, ...caller })).toMatchObject({ status: 200 });
});

test('a probe and a preflight need no certificate, since those who send them have none', async () => {
  const doors = await openLocked();
  expect(await ask(doors, '/healthz')).toMatchObject({ status: 200 });
  expect(await ask(doors, '/v1/openapi.json')).toMatchObject({ status: 401 });
  const origin = 'https://console.example.com';
  const headers = { origin, 'access-control-request-method': 'POST' };
  const preflight = await ask(doors, '/v1/actions', { method: 'OPTIONS', headers });
  // A browser shows its certificate to another origin only where credentials are allowed.
  expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-credentials': 'true' } });
});

test('to resume a session that showed no certificate is no way in', async () => {
  const doors = await openLocked();
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const to = { port: doors.httpPort, host: '127.0.0.1', servername: 'localhost', ca: authority };
    const by: ConnectionOptions = { ...to, minVersion: version, maxVersion: version };
    const first = connectTls(by);
    let session: Buffer | undefined;
    first.on('session', (told) => {
      session = told;
    });
    first.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    first.resume();
    await once(first, 'close');
    session ??= first.getSession();
    const resumed: ConnectionOptions = { ...by, session };
    expect((await ask(doors, '/v1/actions', { headers: keyOf('approver'), ...resumed })).status, version).toBe(401);
  }
});

test('closing finishes what runs by TLS, and waits for no handshake beyond the grace', async () => {
  const { doors } = await openWith(server);
  const silent = [doors.httpPort, doors.grpcPort].map((port) => connect(port, '127.0.0.1'));
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  const [entered, goOn] = [gate(), gate()];
  doors.script.instead = () => {
    if (doors.script.calls.length === protocols.length) entered.open();
    return goOn.opened;
  };
  const clients = protocols.map((protocol) => clientOf(protocol, doors, { ca: authority }));
  const running = clients.map(({ call }) => call('confirm', { actionId }, { headers: keyOf('approver') }));
  await entered.opened;
  const closed = doors.close(1500);
  goOn.open();
  for (const answer of await Promise.all(running)) expect(answer).toMatchObject({ code: 0 });
  await closed;
  for (const client of clients) client.close();
  for (const socket of silent) await vi.waitUntil(() => socket.closed || socket.destroy());
});

test('plain text towards a network is warned of once, and towards this machine not at all', async () => {
  const warned = (doors: OpenDoors) => doors.log.filter((line) => line.includes('plain text')).length;
  const open = await openDoors({ host: '0.0.0.0' });
  const local = await openDoors({ host: '127.0.0.1' });
  const { doors: secure } = await openWith(server);
  await Promise.all([open.close(0), local.close(0)]);
  expect([warned(open), warned(local), warned(secure)]).toEqual([1, 0, 0]);
});
