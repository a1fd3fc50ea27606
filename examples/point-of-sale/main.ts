/**
 * A point of sale: a vendor's program of its own, whose tools Tether calls as plain JSON over HTTP.
 *
 *   POS_DATABASE_URL  its PostgreSQL; required
 *   POS_HOST          address to bind; 127.0.0.1
 *   POS_PORT          port to bind; 8090, 0 picks a free one
 *   POS_SIGNING_SECRET  what its calls must be signed with: one `whsec_…`, or two with a space between; not set, all are let in
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createCallLog } from './call-log.ts';
import { openDatabase } from './database.ts';
import { createPointOfSale } from './server.ts';
import { signatureCheck } from './signature.ts';

try {
  await main(process.env);
} catch (error) {
  const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  const hint = taken ? '; set POS_PORT to another port, or 0 for a free one' : '';
  process.stderr.write(`the point of sale cannot start: ${error instanceof Error ? error.message : error}${hint}\n`);
  // A channel to a parent would keep it alive.
  process.exit(1);
}

async function main(env: NodeJS.ProcessEnv): Promise<void> {
  const { POS_DATABASE_URL, POS_HOST = '127.0.0.1', POS_PORT = '8090', POS_SIGNING_SECRET } = env;
  if (!POS_DATABASE_URL) throw new Error('POS_DATABASE_URL must be the URL of a PostgreSQL database');
  if (!/^\d{1,5}$/.test(POS_PORT) || Number(POS_PORT) > 65_535) {
    throw new Error(`POS_PORT must be a port, from 0 to 65535, and is ${JSON.stringify(POS_PORT)}`);
  }
  const checkSignature = POS_SIGNING_SECRET ? signatureCheck(POS_SIGNING_SECRET) : undefined;
  const ended = toldToEnd();
  const pool = await openDatabase(POS_DATABASE_URL);
  const server = createPointOfSale({
    pool,
    log: createCallLog(),
    onAnswered: (line) => process.stdout.write(`${JSON.stringify(line)}\n`),
    ...(checkSignature && { checkSignature }),
  });
  try {
    server.listen(Number(POS_PORT), POS_HOST);
    await once(server, 'listening');
    const { address, family, port } = server.address() as AddressInfo;
    process.stdout.write(`ready on http://${family === 'IPv6' ? `[${address}]` : address}:${port}/tools\n`);
    await ended;
    // Calls in flight are answered; idle connections are not waited for.
    server.close();
    server.closeIdleConnections();
    await once(server, 'close');
  } finally {
    await pool.end();
  }
}

/** Resolves on SIGTERM and SIGINT, and when a parent that started us with a channel is gone. */
function toldToEnd(): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      if (process.connected) process.disconnect();
      resolve();
    };
    process.on('SIGTERM', end).on('SIGINT', end).on('disconnect', end);
  });
}
