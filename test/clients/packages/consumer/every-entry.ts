/** A vendor's program that uses every way into the package for vendors, compiled against what was packed, and run. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Server } from '@grpc/grpc-js';
import { MikroORM } from '@mikro-orm/postgresql';
import { createEndpoint, type Endpoint, type Ledger, refuse, type Tools } from '@tether/endpoint';
import { connectFetchHandler, connectHandler } from '@tether/endpoint/connect';
import { drizzleLedger } from '@tether/endpoint/drizzle';
import { fastifyEndpoint } from '@tether/endpoint/fastify';
import { fetchHandler } from '@tether/endpoint/fetch';
import { grpcService } from '@tether/endpoint/grpc';
import { kyselyLedger } from '@tether/endpoint/kysely';
import { memoryLedger } from '@tether/endpoint/memory';
import { mikroOrmLedger } from '@tether/endpoint/mikro-orm';
import { nodeHandler } from '@tether/endpoint/node';
import { pgExecutor, pgLedger } from '@tether/endpoint/pg';
import { type PrismaDatabase, type PrismaExecutor, prismaLedger } from '@tether/endpoint/prisma';
import { ledgerSchema, type SqlLedgerOptions, sqlLedger } from '@tether/endpoint/sql';
import { runEndpointCheck } from '@tether/endpoint-check';
import { ToolEndpoint } from '@tether/proto/clients/tether/v1/tool_endpoint_pb.js';
import { drizzle } from 'drizzle-orm/node-postgres';
import Fastify from 'fastify';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';

const options: SqlLedgerOptions = { keepDays: 180 };
const pool = new pg.Pool();
const db = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });
const transaction = <T>(): Promise<T> => Promise.reject(new Error('there is no database'));
// A client is generated for a schema, which has no place here.
const prisma: PrismaDatabase<PrismaExecutor> = { $transaction: transaction };
const ledgers: readonly Pick<Ledger<never>, 'probe'>[] = [
  pgLedger(pool, options),
  kyselyLedger(db, options),
  drizzleLedger(drizzle({ client: pool }), options),
  prismaLedger(prisma, options),
  sqlLedger({ transaction, executor: pgExecutor }, options),
  mikroOrmLedger(new MikroORM({ dbName: 'none', entities: [], discovery: { warnWhenNoEntities: false } }), options),
  memoryLedger(),
];

const tools: Tools<undefined> = {
  get_ticket: { handle: async ({ ticket_id }) => ({ ticket_id, status: 'open' }) },
  void_ticket: {
    isWrite: true,
    handle: async ({ ticket_id }) => {
      throw refuse({ code: 'ticket_not_open', message: `Ticket ${ticket_id} is not open.`, field: 'ticket_id' });
    },
  },
};
const endpoint: Endpoint = createEndpoint({ ledger: memoryLedger(), signingSecrets: false, tools });

createServer(nodeHandler(endpoint));
createServer(connectHandler(endpoint));
await Fastify().register(fastifyEndpoint(endpoint), { prefix: '/tools' }).ready();
new Server().addService(...grpcService(endpoint));
connectFetchHandler(endpoint);
const migration = readFileSync(fileURLToPath(import.meta.resolve('@tether/endpoint/ledger.sql')), 'utf8');

const headers = { 'content-type': 'application/json', 'x-tether-idempotency-key': 'key-1' };
const tenant = { id: 'acme', scope: '', user_id: '' };
const call = {
  ...{ tool: 'get_ticket', mode: 'read', is_write: false, request_id: 'key-1' },
  tenant,
  attempt: 1,
  action_id: '',
};
const asked = { ...call, args: { ticket_id: 'T-1' }, deadline: new Date(Date.now() + 60_000) };
const answer = await fetchHandler(endpoint)(
  new Request('http://vendor/tools', { method: 'POST', headers, body: JSON.stringify(asked) }),
);
const usage: string[] = [];
const code = await runEndpointCheck(
  ['--help'],
  {},
  { out: (text) => usage.push(text), err: (text) => usage.push(text) },
);
console.log(
  code,
  usage.length > 0,
  ledgers.length,
  ToolEndpoint.typeName,
  migration === ledgerSchema,
  answer.status,
  await answer.text(),
);
