import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf } from './clients.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';

const page = 'https://console.example.com';
let doors: OpenDoors;
beforeAll(async () => {
  doors = await openDoors({ corsOrigins: [page, 'http://localhost:5173'] });
});
afterAll(() => doors.close(1000));

const stage = '/tether.v1.ActionService/Stage';
const paths = [stage, '/v1/actions', '/v1/actions/x/confirm', '/v1/openapi.json', '/healthz', '/nothing'];

const corsOf = (headers: Headers) => [...headers].filter(([name]) => name.startsWith('access-control-'));
const listIn = (headers: Headers, name: string) => (headers.get(name) ?? '').toLowerCase().split(', ');

/** What a browser asks before a call that a plain form could not make. */
function preflight(path: string, origin: string, at: OpenDoors = doors): Promise<Response> {
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  };
  return fetch(`${at.httpAddress}${path}`, { method: 'OPTIONS', headers });
}

test.each(paths)('a page of a declared origin may call %s, with every header that a call needs', async (path) => {
  const { status, headers } = await preflight(path, page);
  expect(status).toBe(204);
  expect(headers.get('access-control-allow-origin')).toBe(page);
  expect(headers.get('vary')).toBe('Origin');
  expect(headers.get('access-control-allow-methods')).toBe('POST, GET');
  expect(Number(headers.get('access-control-max-age'))).toBeGreaterThan(0);
  expect(headers.get('access-control-allow-credentials')).toBeNull();
  expect(listIn(headers, 'access-control-allow-headers')).toEqual(
    expect.arrayContaining([
      'authorization',
      'content-type',
      'connect-protocol-version',
      'connect-timeout-ms',
      'grpc-timeout',
      'x-grpc-web',
      'x-user-agent',
      'idempotency-key',
      'x-request-id',
      'traceparent',
      'tracestate',
    ]),
  );
});

test.each(paths)(
  'what a page of a declared origin is answered at %s it can read, with what errors travel in',
  async (path) => {
    const { headers } = await fetch(`${doors.httpAddress}${path}`, { method: 'POST', headers: { origin: page } });
    expect(headers.get('access-control-allow-origin')).toBe(page);
    expect(headers.get('vary')).toBe('Origin');
    expect(listIn(headers, 'access-control-expose-headers')).toEqual(
      expect.arrayContaining(['grpc-status', 'grpc-message', 'grpc-status-details-bin', 'x-request-id', 'retry-after']),
    );
  },
);

test.each(['connect+json', 'grpc-web'] as const)('an error by %s has its detail and may be read', async (protocol) => {
  const client = clientOf(protocol, doors);
  const headers = { authorization: 'Bearer key-agent', origin: 'http://localhost:5173' };
  const seen = await client.call('confirm', {}, { headers });
  client.close();
  expect(seen.details).toMatchObject([{ code: 'PERMISSION_DENIED' }]);
  expect(seen.headers['access-control-allow-origin']).toBe('http://localhost:5173');
});

test.each([
  'https://evil.example',
  'https://console.example.com.evil.example',
  'https://console.example.com:444',
  'http://console.example.com',
  'https://CONSOLE.example.com',
  'null',
])('a page of %s is told nothing, asked or not', async (origin) => {
  for (const path of paths) {
    const asked = await preflight(path, origin);
    expect(corsOf(asked.headers), path).toEqual([]);
    expect(asked.status, path).not.toBe(204);
    const sent = await fetch(`${doors.httpAddress}${path}`, { method: 'POST', headers: { origin } });
    expect(corsOf(sent.headers), path).toEqual([]);
    // A cache must not hand this answer to a page of a declared origin.
    expect(sent.headers.get('vary'), path).toBe('Origin');
  }
});

test('without a declared origin nobody is let in', async () => {
  const closed = await openDoors();
  const { status, headers } = await preflight(stage, page, closed);
  await closed.close(1000);
  expect([status, corsOf(headers)]).toEqual([405, []]);
});

test('an origin that is sent twice is no declared one', async () => {
  const socket = connect(doors.httpPort, '127.0.0.1');
  socket.write(
    `GET /healthz HTTP/1.1\r\nHost: a\r\nOrigin: ${page}\r\nOrigin: https://evil.example\r\nConnection: close\r\n\r\n`,
  );
  expect(await text(socket)).not.toMatch(/access-control/i);
});
