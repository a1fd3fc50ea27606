import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawServer {
  readonly url: string;
  /** Connections that were ever made to it. */
  readonly connections: Socket[];
  /** Everything that clients sent, per connection. */
  readonly received: Buffer[];
}

/** A server that is nothing but what the test does with its sockets; gone with the test. */
export async function rawServer(
  onConnection: (socket: Socket) => void,
  onData: (socket: Socket, sofar: Buffer) => void = () => undefined,
): Promise<RawServer> {
  const connections: Socket[] = [];
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    const index = connections.push(socket) - 1;
    received.push(Buffer.alloc(0));
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      received[index] = Buffer.concat([received[index] ?? Buffer.alloc(0), chunk]);
      onData(socket, received[index]);
    });
    onConnection(socket);
  });
  const port = await listen(server);
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of connections) socket.destroy();
      }),
  );
  return { url: `http://127.0.0.1:${port}`, connections, received };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** A port on which nobody listens: it was free a moment ago. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Calls back once for every whole HTTP/1.1 request with a content length that has arrived on a socket. */
export function perRequest(answer: (socket: Socket, number: number) => void): (socket: Socket, sofar: Buffer) => void {
  const seen = new WeakMap<Socket, number>();
  return (socket, sofar) => {
    let rest = sofar.toString('latin1');
    let count = 0;
    for (;;) {
      const end = rest.indexOf('\r\n\r\n');
      if (end === -1) break;
      const length = Number(/content-length: (\d+)/i.exec(rest.slice(0, end))?.[1] ?? 0);
      if (rest.length < end + 4 + length) break;
      rest = rest.slice(end + 4 + length);
      count += 1;
      if (count <= (seen.get(socket) ?? 0)) continue;
      seen.set(socket, count);
      answer(socket, count);
    }
  };
}

/** A whole HTTP/1.1 answer with a JSON body. */
export function ok(body = '{"ok":true}', head = ''): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${head}\r\n${body}`;
}
