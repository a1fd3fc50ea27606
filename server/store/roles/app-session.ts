import { Client } from 'pg';
import { queueSchema } from './trails.ts';

/** A session of the role that the server runs as, beside the owner's. */
export interface AppSession {
  readonly role: string;
  /** Rejects when this role does not find the tables. */
  check(): Promise<void>;
  end(): Promise<void>;
}

interface Whereabouts {
  readonly role: string;
  /** The same for two sessions of one database on one server, however they got there. */
  readonly place: string;
}

const whereabouts = `select current_user::text as role,
  pg_postmaster_start_time()::text || ' ' || (select oid from pg_database where datname = current_database()) as place`;

/** Undefined when it is the same role after all. Rejects with an Error that says what does not fit. */
export async function openAppSession(appUrl: string, owner: Client): Promise<AppSession | undefined> {
  const session = new Client({
    connectionString: appUrl,
    connectionTimeoutMillis: 5_000,
    application_name: 'tether-migrate',
  });
  session.on('error', () => undefined);
  await session.connect();
  try {
    const [app, theirs] = [await whereaboutsOf(session), await whereaboutsOf(owner)];
    if (app.place !== theirs.place)
      throw new Error(
        'DATABASE_URL and TETHER_OWNER_DATABASE_URL name two databases; they are two users of one database',
      );
    if (app.role === theirs.role) {
      await session.end();
      return undefined;
    }
    await checkOwnership(owner, app.role, theirs.role);
    return { role: app.role, check: () => checkFinds(session, app.role), end: () => session.end() };
  } catch (error) {
    await session.end();
    throw error;
  }
}

async function whereaboutsOf(session: Client): Promise<Whereabouts> {
  const { rows } = await session.query<Whereabouts>(whereabouts);
  if (rows[0] === undefined) throw new Error('PostgreSQL does not say who is connected');
  return rows[0];
}

/** A role that owns the tables can do with them what it likes, whatever is granted. */
async function checkOwnership(owner: Client, app: string, ownerRole: string): Promise<void> {
  const { rows } = await owner.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname in (current_schema(), $2) and pg_get_userbyid(c.relowner) = $1
       and (n.nspname = $2 or c.relname in ('event', 'admin_event', 'credential_event', 'action', 'migration')) limit 1`,
    [app, queueSchema],
  );
  if (rows[0] === undefined) return;
  const [from, to] = [owner.escapeIdentifier(app), owner.escapeIdentifier(ownerRole)];
  throw new Error(
    `the table ${rows[0].name} belongs to ${app}, the user of DATABASE_URL, who could change it in spite of everything: ` +
      `run "reassign owned by ${from} to ${to}" in this database once, as a superuser or a member of both, and start again`,
  );
}

async function checkFinds(session: Client, role: string): Promise<void> {
  const { rows } = await session.query<{ finds: boolean }>(`select to_regclass('event') is not null as finds`);
  if (rows[0]?.finds !== true)
    throw new Error(
      `${role}, the user of DATABASE_URL, does not find the tables: both users must have the same schema first in their search_path`,
    );
}
