import { createServer } from 'node:http';
import { createEndpoint, refuse } from '@tether/endpoint';
import { nodeHandler } from '@tether/endpoint/node';
import { pgLedger } from '@tether/endpoint/pg';
import pg from 'pg';

const { DATABASE_URL, SIGNING_SECRET = '', PORT = '8090' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL });
const ledger = pgLedger(pool);
await ledger.migrate();
await pool.query(`create table if not exists tickets (id text primary key, status text not null);
  insert into tickets values ('T-1', 'open'), ('T-2', 'open'), ('T-3', 'paid') on conflict do nothing`);

const endpoint = createEndpoint({
  ledger,
  signingSecrets: SIGNING_SECRET,
  tools: {
    get_ticket: {
      async handle({ ticket_id }) {
        const { rows } = await pool.query('select id as ticket_id, status from tickets where id = $1', [ticket_id]);
        return rows[0] ?? { ticket_id, status: 'not there' };
      },
    },
    void_ticket: {
      isWrite: true,
      async handle({ ticket_id }, { tx }) {
        const { rows } = await tx.query('select status from tickets where id = $1 for update', [ticket_id]);
        const received = rows[0]?.status ?? 'not there';
        if (received !== 'open') {
          const message = `Ticket ${ticket_id} is ${received}; only an open one can be voided.`;
          throw refuse({ code: 'ticket_not_open', message, field: 'ticket_id', received, accepted: ['open'] });
        }
        await tx.query("update tickets set status = 'void' where id = $1", [ticket_id]);
        return { ticket_id, status: 'void' };
      },
    },
  },
});
createServer(nodeHandler(endpoint)).listen(Number(PORT), '127.0.0.1', () => console.log(`ready on port ${PORT}`));
