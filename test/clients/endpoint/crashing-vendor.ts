/**
 * A vendor's process that ends itself by `kill -9` at a call and a place that it is told:
 *
 *   changed    the row is inserted, in the transaction
 *   recorded   the ledger has its row too, nothing is committed
 *   committed  both are committed, and nobody was answered
 *
 * DATABASE_URL, SIGNING_SECRET, PORT; DIES_AT: a place and the number of the write, like `committed 12`, or empty.
 */
import { createServer } from 'node:http';
import { createEndpoint } from '@tether/endpoint';
import { nodeHandler } from '@tether/endpoint/node';
import { pgLedger } from '@tether/endpoint/pg';
import pg from 'pg';

const { DATABASE_URL, SIGNING_SECRET = '', PORT = '0', DIES_AT = '' } = process.env;
const [place, number] = DIES_AT.split(' ');
const passed = new Map<string, number>();

function dieIfAt(here: string): void {
  const times = (passed.get(here) ?? 0) + 1;
  passed.set(here, times);
  if (here === place && times === Number(number)) process.kill(process.pid, 'SIGKILL');
}

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 8 });

const ledger = pgLedger(async (work) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const value = await work(client);
    dieIfAt('recorded');
    await client.query('commit');
    return value;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
});

const endpoint = createEndpoint({
  ledger,
  signingSecrets: SIGNING_SECRET,
  tools: {
    charge: {
      isWrite: true,
      async handle({ account, amount }, { tx, attempt }) {
        const { rows } = await tx.query('insert into charges (account, amount) values ($1, $2) returning id', [
          account,
          amount,
        ]);
        dieIfAt('changed');
        return { id: rows[0].id, by: process.pid, attempt };
      },
    },
  },
  onAnswered({ outcome }) {
    if (outcome === 'result') dieIfAt('committed');
  },
});

const server = createServer(nodeHandler(endpoint));
server.listen(Number(PORT), '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
