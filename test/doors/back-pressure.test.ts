import http2 from 'node:http2';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Gate, gate } from './gate.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { settledAction } from './scripted-lifecycle.ts';

let doors: OpenDoors;
beforeEach(async () => {
  doors = await openDoors();
});
afterEach(() => doors.close(1000));

/** Larger than all that lies between the handler and a reader, so that a few messages fill it. */
const large = JSON.stringify('x'.repeat(4_000_000));
const action = { ...settledAction, arguments: large };

interface Endless {
  /** How many answers were asked for. */
  pulled: number;
  readonly ended: Gate;
}

function endlessWatch(): Endless {
  const endless: Endless = { pulled: 0, ended: gate() };
  doors.script.watch = async function* watch() {
    try {
      for (;;) {
        endless.pulled += 1;
        yield { kind: 'snapshot', action, error: null, cursor: 'e1.1' };
      }
    } finally {
      endless.ended.open();
    }
  };
  return endless;
}

/** Waits until nothing more is asked for, which is when as much as fits is on its way. */
async function standstill(endless: Endless): Promise<void> {
  let before = -1;
  await vi.waitUntil(
    () => {
      const still = endless.pulled > 0 && endless.pulled === before;
      before = endless.pulled;
      return still;
    },
    { interval: 300, timeout: 20_000 },
  );
}

interface Reader {
  /** Reads until at least so many messages were asked for, and goes on not reading. */
  resume(): void;
  hangUp(): void;
  /** Announces that it will hang up when the stream is over, and goes on not reading. */
  sayGoodbye?(): void;
}

const readers: Readonly<Record<string, () => Promise<Reader>>> = {
  // By hand: the stock client of grpc-js reads on, whether or not its caller does.
  grpc: async () => {
    const session = http2.connect(`http://${doors.grpcAddress}`);
    const call = session.request({
      ':method': 'POST',
      ':path': '/tether.v1.ActionService/Watch',
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: 'Bearer key-agent',
    });
    call.on('error', () => undefined);
    session.on('error', () => undefined);
    call.pause();
    call.end(Buffer.alloc(5));
    return {
      resume: () => void call.on('data', () => undefined).resume(),
      hangUp: () => session.destroy(),
      sayGoodbye: () => session.close(),
    };
  },
  ...Object.fromEntries(
    ['application/connect+json', 'application/grpc-web+proto'].map((type) => [
      type,
      async () => {
        const body = type.endsWith('json') ? '\0\0\0\0\x02{}' : '\0\0\0\0\0';
        const socket = connect(doors.httpPort, '127.0.0.1');
        socket.pause();
        socket.write(
          [
            'POST /tether.v1.ActionService/Watch HTTP/1.1',
            'Host: a',
            `Content-Type: ${type}`,
            'Authorization: Bearer key-agent',
            `Content-Length: ${body.length}`,
            '',
            body,
          ].join('\r\n'),
        );
        return { resume: () => void socket.on('data', () => undefined).resume(), hangUp: () => void socket.destroy() };
      },
    ]),
  ),
};

test.each(Object.keys(readers))(
  'by %s, who does not read is not read ahead for, and holds nothing after hanging up',
  async (how) => {
    const endless = endlessWatch();
    const reader = await readers[how]?.();
    await standstill(endless);
    expect(endless.pulled).toBeLessThanOrEqual(4);
    reader?.hangUp();
    await endless.ended.opened;
  },
);

test.each(Object.keys(readers))('by %s, who reads again is told on', async (how) => {
  const endless = endlessWatch();
  const reader = await readers[how]?.();
  await standstill(endless);
  const before = endless.pulled;
  reader?.resume();
  await vi.waitUntil(() => endless.pulled > before + 5, { timeout: 20_000 });
  reader?.hangUp();
  await endless.ended.opened;
});

test.each(Object.keys(readers))(
  'by %s, who does not read ends when the doors close, at the latest with the grace',
  async (how) => {
    const endless = endlessWatch();
    await readers[how]?.();
    await standstill(endless);
    const closed = doors.close(300);
    // The handler need not wait for the reader.
    await endless.ended.opened;
    await closed;
  },
);

test('by grpc, who says goodbye and does not read does not hold up a close either', async () => {
  const endless = endlessWatch();
  const reader = await readers.grpc?.();
  await standstill(endless);
  reader?.sayGoodbye?.();
  await standstill(endless);
  await doors.close(300);
  await endless.ended.opened;
});
