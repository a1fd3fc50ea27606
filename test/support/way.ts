/** The way to a database, which can be cut, shut and opened again. */
import { once } from 'node:events';
import net from 'node:net';

export interface Way {
  /** Of the database, by this way. */
  readonly url: string;
  /** Breaks every connection. */
  cut(): void;
  /** Lets requests through and keeps the answers back, until it is cut; also for connections that come later. */
  deaf(): void;
  /** Refuses connections, and breaks those there are. */
  close(): Promise<void>;
  /** Opens it again, perhaps to another server. */
  open(to?: string): Promise<void>;
}

/** `shut`: it refuses connections until it is opened. */
export async function createWay(to: string, { shut = false }: { readonly shut?: boolean } = {}): Promise<Way> {
  const inside = new Set<net.Socket>();
  const outside = new Set<net.Socket>();
  let target = new URL(to);
  let deaf = false;
  const server = net.createServer((socket) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    inside.add(upstream);
    outside.add(socket);
    socket.pipe(upstream);
    if (!deaf) upstream.pipe(socket);
    for (const end of [socket, upstream])
      end
        .on('error', () => end.destroy())
        .on('close', () => {
          socket.destroy();
          upstream.destroy();
          outside.delete(socket);
          inside.delete(upstream);
        });
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { port } = address;
  const way: Way = {
    url: Object.assign(new URL(to), { hostname: '127.0.0.1', port: String(port) }).href,
    cut() {
      deaf = false;
      for (const socket of outside) socket.destroy();
    },
    deaf() {
      deaf = true;
      for (const upstream of inside) upstream.unpipe();
    },
    async close() {
      if (!server.listening) return;
      server.close();
      way.cut();
      await once(server, 'close');
    },
    async open(elsewhere) {
      if (elsewhere !== undefined) target = new URL(elsewhere);
      await listen(port);
    },
  };
  if (shut) await way.close();
  return way;
}
