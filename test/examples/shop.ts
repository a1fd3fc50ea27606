import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';

export const program = fileURLToPath(new URL('../../examples/point-of-sale/main.ts', import.meta.url));

/** The vendor's program, in a process of its own as in life. */
interface Shop {
  readonly url: string;
  readonly process: ChildProcess;
  readonly exited: Promise<unknown[]>;
}

/** Of the test that runs. */
export let database: TestDatabase;
let shops: Shop[] = [];

/** To be called once in a file: each of its tests has a database of its own, and its shops end with it. */
export function shopsOfThisFile(): void {
  beforeEach(async () => {
    database = await createDatabase({ empty: true });
  });
  afterEach(async () => {
    for (const shop of shops) shop.process.kill('SIGKILL');
    await Promise.all(shops.map((shop) => shop.exited));
    shops = [];
    await database.drop();
  });
}

export function run(env: Record<string, string>): ChildProcess {
  const { PATH = '' } = process.env;
  return spawn(process.execPath, [program], { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}

export async function startShop(env: Record<string, string> = {}): Promise<Shop> {
  const child = run({ POS_DATABASE_URL: database.url, POS_PORT: '0', ...env });
  const exited = once(child, 'exit');
  if (child.stdout === null || child.stderr === null) throw new Error('the shop has no output');
  const complaints = text(child.stderr);
  const url = await new Promise<string>((resolve, reject) => {
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const ready = /^ready on (http:\S+)\/tools$/.exec(line)?.[1];
      if (ready !== undefined) resolve(ready);
    });
    void exited.then(async () => reject(new Error(await complaints)));
  });
  const shop = { url, process: child, exited };
  shops.push(shop);
  return shop;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export const newKey = (): string => randomUUID().replaceAll('-', '');
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

interface Options {
  readonly key?: string;
  readonly deadline?: Date;
  readonly attempt?: number;
  readonly header?: string;
}

export async function post(shop: Shop, body: string, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(`${shop.url}/tools`, { method: 'POST', body, headers });
  const answer = await response.text();
  return { status: response.status, text: answer, body: JSON.parse(answer) };
}

export function call(shop: Shop, mode: string, tool: string, args: unknown, options: Options = {}): Promise<Answer> {
  const { key = newKey(), deadline = new Date(Date.now() + 60_000), attempt = 1, header = key } = options;
  const envelope = {
    request_id: key,
    tool,
    args,
    tenant: { id: 'acme', scope: 'store-12', user_id: 'u_7' },
    is_write: mode === 'execute',
    mode,
    action_id: '',
    attempt,
    deadline,
  };
  return post(shop, JSON.stringify(envelope), { 'x-tether-idempotency-key': header });
}

export const read = (shop: Shop, tool: string, args: unknown = {}) => call(shop, 'read', tool, args);
export const write = (shop: Shop, tool: string, args: unknown, options?: Options) =>
  call(shop, 'execute', tool, args, options);

export function probe(shop: Shop, tool: string, key: string, attempt = 1): Promise<Answer> {
  const tenant = { id: 'acme', scope: 'store-12', user_id: 'u_7' };
  const envelope = { request_id: key, tool, tenant, is_write: true, mode: 'probe', action_id: '', attempt };
  return post(shop, JSON.stringify(envelope), { 'x-tether-idempotency-key': key });
}

export const voiding = { ticket_id: 'T-4417', reason: 'guest left' };

export async function logOf(shop: Shop): Promise<Record<string, unknown>[]> {
  const lines = (await (await fetch(`${shop.url}/log`)).text()).trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

export async function statusOf(ticket: string): Promise<unknown> {
  return (await database.query('select status from tickets where id = $1', [ticket]))[0]?.status;
}

export const ledger = () => database.query('select key, tool, result from idempotency_ledger');

/** Resolves when a session in this database waits for a lock. */
export async function blocked(): Promise<void> {
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  let found = 0;
  while (found === 0) found = (await database.query(waiting)).length;
}

/** A session of somebody else's, in a transaction. */
export async function elsewhere(sql: string): Promise<{ commit: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('begin');
  await client.query(sql);
  return {
    commit: async () => {
      await client.query('commit');
      await client.end();
    },
  };
}
