/** A vendor in TypeScript and one in Python, each on its own SDK, that share a database and so a ledger. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createEndpoint, type Reason, refuse } from '@tether/endpoint';
import { nodeHandler } from '@tether/endpoint/node';
import { pgLedger } from '@tether/endpoint/pg';
import pg from 'pg';
import { createDatabase } from '../../support/database.ts';
import { source } from './installed-package.ts';

export type Vendor = 'TypeScript' | 'Python';

export interface TwoVendors {
  /** Sends one the call of a write, or a question about it; resolves with what it answered. */
  ask(
    vendor: Vendor,
    call: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly status: number; readonly text: string }>;
  close(): Promise<void>;
}

/** Both have one write, `count`, which says `by` whom it was done, or refuses as its argument `refuse` says. */
export async function startTwoVendors(python: string): Promise<TwoVendors> {
  const database = await createDatabase({ empty: true });
  await database.query('create table counts (name text, process integer)');
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  const ledger = pgLedger(pool);
  await ledger.migrate();
  const server = createServer(nodeHandler(createEndpoint({ ledger, signingSecrets: false, tools: { count } })));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const vendor = spawn(python, ['-B', join(source, 'tests/counting_vendor.py'), database.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(vendor.stdout), 'line');
  const { port } = server.address() as AddressInfo;
  const urls = { TypeScript: `http://127.0.0.1:${port}/`, Python: String(line) };
  return {
    async ask(which, call) {
      const headers = { 'content-type': 'application/json', 'x-tether-idempotency-key': String(call.request_id) };
      const response = await fetch(urls[which], { method: 'POST', headers, body: JSON.stringify(call) });
      return { status: response.status, text: await response.text() };
    },
    async close() {
      const gone = once(vendor, 'exit');
      vendor.kill('SIGKILL');
      await gone;
      server.close();
      server.closeAllConnections();
      await pool.end();
      await database.drop();
    },
  };
}

const count = {
  isWrite: true,
  async handle({ name, refuse: reason }: { name: string; refuse?: Reason }, { tx }: { tx: pg.PoolClient }) {
    if (reason !== undefined) throw refuse(reason);
    await tx.query('insert into counts (name, process) values ($1, $2)', [name, process.pid]);
    return { name, process: process.pid, by: 'TypeScript' };
  },
} as const;
