import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { closed, gate } from './gate.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { settledAction, shown } from './scripted-lifecycle.ts';

async function open(limits: Parameters<typeof openDoors>[0]): Promise<OpenDoors> {
  const doors = await openDoors(limits);
  onTestFinished(() => doors.close(0));
  return doors;
}

const agent = 'Authorization: Bearer key-agent';
const connectStage = ['POST /tether.v1.ActionService/Stage HTTP/1.1', 'Host: a', 'Content-Type: application/json'];
const jsonStage = ['POST /v1/actions HTTP/1.1', 'Host: a', 'Content-Type: application/json'];
const head = (...lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`;

/** Writes what comes at once, then one byte again and again, until the server has had enough of it. Tells what it answered. */
async function dribble(port: number, atOnce: string, byte: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.write(atOnce);
  const dribbling = setInterval(() => socket.write(byte), 10);
  await closed(socket);
  clearInterval(dribbling);
  return answer;
}

test.each([
  ['its request line', 'GET /', 'x', 408],
  ['its headers', 'GET /livez HTTP/1.1\r\nHost: a\r\nX: ', 'x', 408],
  ['a body, by Connect', head(...connectStage, agent, 'Content-Length: 5000'), ' ', 408],
  ['a body in chunks, by Connect', head(...connectStage, agent, 'Transfer-Encoding: chunked'), '1\r\n \r\n', 408],
  ['a body, by plain JSON', head(...jsonStage, agent, 'Content-Length: 5000'), ' ', 408],
  ['a body, by Connect, without a credential', head(...connectStage, 'Content-Length: 5000'), ' ', 408],
  ['a body, by plain JSON, without a credential', head(...jsonStage, 'Content-Length: 5000'), ' ', 401],
])('who sends %s byte by byte is cut off', async (_, atOnce, byte, status) => {
  const doors = await open({ limits: { requestMs: 400, http: { headersMs: 200 } } });
  const answer = await dribble(doors.httpPort, atOnce, byte);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  if (status === 408) expect(answer).toMatch(/did not arrive in time: it has 0.4 seconds. Its headers have 0.2/);
  expect(doors.script.calls).toEqual([]);
  // It is the caller's doing: nothing of it is an error of ours.
  expect(doors.log.join('')).not.toMatch(/"level":[56]0/);
});

test.each([
  ['/tether.v1.ActionService/Stage', 400, /"code":"INVALID_REQUEST"/],
  ['/v1/actions', 431, /"status":"HeadersTooLarge".*"errorCode":"INVALID_REQUEST"/],
])(
  'a request to %s with more headers than there may be is told so, and none is left out before',
  async (path, status, told) => {
    const doors = await open({});
    const ask = (count: number) => {
      const headers = new Headers({ 'content-type': 'application/json' });
      // What the client adds by itself: host, connection, accept, accept-language, sec-fetch-mode, user-agent, accept-encoding, length.
      for (let n = 0; n < count - 10; n++) headers.set(`x-${n}`, '1');
      headers.set('authorization', 'Bearer key-agent');
      return fetch(`${doors.httpAddress}${path}`, { method: 'POST', headers, body: '{"tool":"t"}' });
    };
    expect((await ask(100)).status).toBe(200);
    const refused = await ask(120);
    expect(refused.status).toBe(status);
    expect(await refused.text()).toMatch(told);
    expect(doors.script.calls).toHaveLength(1);
  },
);

test('connections beyond so many are closed, and taken again when there is room', async () => {
  const doors = await open({ limits: { connections: 2 } });
  for (const port of [doors.httpPort, doors.grpcPort]) {
    const held = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    await Promise.all(held.map((socket) => once(socket, 'connect')));
    for (let times = 0; times < 3; times++) {
      const turnedAway = connect(port, '127.0.0.1');
      turnedAway.on('error', () => undefined).resume();
      await closed(turnedAway);
    }
    held[0]?.destroy();
    if (port === doors.httpPort)
      await vi.waitUntil(() =>
        fetch(`${doors.httpAddress}/livez`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
    held[1]?.destroy();
  }
  expect(doors.log.filter((line) => line.includes('as many connections as it takes'))).toHaveLength(2);
});

/** Asks, and reads nothing of the answer. */
function askAndNotRead(port: number, request: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(request);
  return socket;
}

const large = { ...settledAction, arguments: JSON.stringify('x'.repeat(20_000_000)) };

test('who does not read an answer is cut off, so that nothing of it is held', async () => {
  const doors = await openDoors({ limits: { http: { unreadMs: 200 } } });
  doors.script.get = async () => ({ ...shown, action: large });
  const asked = vi.spyOn(doors.script, 'get');
  askAndNotRead(doors.httpPort, head(`GET /v1/actions/${settledAction.id} HTTP/1.1`, 'Host: a', agent));
  await vi.waitUntil(() => asked.mock.calls.length === 1);
  // Far beyond the test's own time: a connection that stayed would fail it.
  await doors.close(600_000);
});

test('who does not read a stream is cut off, and who waits for an answer is not', async () => {
  const doors = await open({ limits: { http: { unreadMs: 200 } } });
  const [ended, goOn] = [gate(), gate()];
  doors.script.watch = async function* watch() {
    try {
      for (;;) yield { kind: 'snapshot', action: large, error: null, cursor: 'e1.1' };
    } finally {
      ended.open();
    }
  };
  doors.script.instead = () => goOn.opened;
  const headers = { authorization: 'Bearer key-agent', 'content-type': 'application/json' };
  const call = { method: 'POST', headers, body: '{"arguments":{}}' };
  const waiting = fetch(`${doors.httpAddress}/v1/tools/void_ticket/call`, call);
  await vi.waitUntil(() => doors.script.calls.length === 1);
  askAndNotRead(doors.httpPort, head('GET /v1/actions/watch HTTP/1.1', 'Host: a', agent));
  await ended.opened;
  goOn.open();
  expect((await waiting).status).toBe(200);
});
