/**
 * A TCP proxy between a client and a server, that loses what a test wants lost.
 *
 *   const proxy = await startProxy(server.httpUrl);
 *   proxy.loseNextAnswer();       // the request goes through whole, and the connection breaks when the answer comes
 *   proxy.breakAll();             // every connection breaks now
 *   proxy.freeze();               // nothing gets through any more on the connections there are
 *   proxy.retarget(other.httpUrl) // new connections go elsewhere
 *   await proxy.answeredAgain();  // something more of an answer has been passed on
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly url: string;
  loseNextAnswer(): void;
  breakAll(): void;
  freeze(): void;
  retarget(url: string): void;
  /** Connections that were ever made to it. */
  connections(): number;
  /** Resolves when so many connections were made in all. */
  connected(count: number): Promise<void>;
  /** Resolves when something of an answer was passed on after this was asked. */
  answeredAgain(): Promise<void>;
  close(): Promise<void>;
}

export async function startProxy(target: string): Promise<TcpProxy> {
  let upstream = new URL(target);
  let toLose = 0;
  let answers = 0;
  let connections = 0;
  const open = new Set<Socket>();
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const each of waiting) each();
  };
  const until = (fits: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const each = (): void => {
        if (!fits()) return;
        waiting.delete(each);
        resolve();
      };
      waiting.add(each);
      each();
    });

  const server = createServer((near) => {
    connections += 1;
    const far = connect(Number(upstream.port), upstream.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
    near.on('data', (chunk) => far.write(chunk));
    far.on('data', (chunk) => {
      if (toLose > 0) {
        toLose -= 1;
        near.resetAndDestroy();
        return;
      }
      near.write(chunk);
      answers += 1;
      look();
    });
    look();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const breakAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseNextAnswer() {
      toLose += 1;
    },
    breakAll,
    freeze() {
      for (const socket of open) socket.pause().removeAllListeners('data');
    },
    retarget(url) {
      upstream = new URL(url);
    },
    connections: () => connections,
    connected: (count) => until(() => connections >= count),
    answeredAgain() {
      const before = answers;
      return until(() => answers > before);
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      breakAll();
      await closed;
    },
  };
}
