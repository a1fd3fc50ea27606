import { once } from 'node:events';
import net from 'node:net';

/** A server that answers whoever connects with one error, as PostgreSQL does before it lets anybody in. */
export interface RefusingDatabase {
  readonly url: string;
  /** Resolves when so many were refused. */
  refused(count: number): Promise<void>;
  close(): void;
}

/** `code`: an SQLSTATE. */
export async function startRefusing(code: string): Promise<RefusingDatabase> {
  const fields = `SFATAL\0VFATAL\0C${code}\0Mthe database system is starting up\0\0`;
  const message = Buffer.alloc(5 + fields.length);
  message.write('E');
  message.writeInt32BE(4 + fields.length, 1);
  message.write(fields, 5);
  let count = 0;
  const waiting = new Set<() => void>();
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.end(message);
      count += 1;
      for (const look of waiting) look();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `postgres://somebody:secret@127.0.0.1:${address.port}/tether`,
    refused: (wanted) =>
      new Promise((resolve) => {
        const look = () => {
          if (count < wanted) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () => server.close(),
  };
}
