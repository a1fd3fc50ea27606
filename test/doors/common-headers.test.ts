import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenDoors, openDoors } from './open-doors.ts';

let doors: OpenDoors;
beforeAll(async () => {
  doors = await openDoors();
});
afterAll(() => doors.close(1000));

/** For a browser that is led here: no sniffing, no scripts, no frames, no cache, and no word of where it came from. */
const expected = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

test.each([
  ['/healthz', 200],
  ['/v1/openapi.json', 200],
  ['/v1/actions', 401],
  ['/v1/nothing', 404],
  ['/v1/actions/lookup?x=<script>', 401],
  ['/tether.v1.ActionService/Get?encoding=json&message={}', 401],
  ['/tether.v1.ActionService/Stage', 405],
  ['/<script>', 404],
])('a browser that is led to %s renders nothing of it', async (path, status) => {
  const answer = await fetch(`${doors.httpAddress}${path}`);
  expect(answer.status).toBe(status);
  expect(Object.fromEntries(answer.headers)).toMatchObject({ ...expected, 'content-type': 'application/json' });
  // Without TLS a browser must not be told to come back with it.
  expect(answer.headers.get('strict-transport-security')).toBeNull();
});

test('nor of the answer to what is no request at all', async () => {
  const socket = connect(doors.httpPort, '127.0.0.1');
  socket.write('<script>\r\n\r\n');
  const answer = await text(socket);
  for (const [name, value] of Object.entries(expected)) expect(answer).toContain(`${name}: ${value}\r\n`);
});
