import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { administer, dropDatabaseNamed, urlOf } from './database-server.ts';

/** An empty database with an owner, who is no superuser, and a role that owns nothing: as an operator would make them. */
export interface TwoRoles {
  readonly ownerUrl: string;
  readonly appUrl: string;
  readonly owner: string;
  readonly app: string;
  /** As the superuser, in this database. */
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
  /** On a connection of its own. */
  as<Row extends pg.QueryResultRow = pg.QueryResultRow>(url: string, ...statements: readonly string[]): Promise<Row[]>;
  drop(): Promise<void>;
}

export async function createTwoRoles(): Promise<TwoRoles> {
  const server = inject('databaseServer');
  const suffix = randomBytes(6).toString('hex');
  const [name, owner, app] = [`test_${suffix}`, `owner_${suffix}`, `app_${suffix}`];
  for (const role of [owner, app]) await administer(server, `create role ${role} login password 'secret'`);
  await administer(server, `create database ${name} template template0 owner ${owner}`);
  // As docs/audit.md says; since PostgreSQL 15 it is so by itself.
  const rights = [`revoke create on schema public from public`, `grant create on schema public to ${owner}`];
  const urlAs = (role: string): string => {
    const url = new URL(urlOf(server, name));
    url.username = role;
    url.password = 'secret';
    return url.href;
  };
  const as = async <Row extends pg.QueryResultRow>(url: string, ...statements: readonly string[]): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      let rows: Row[] = [];
      for (const statement of statements) rows = (await client.query<Row>(statement)).rows;
      return rows;
    } finally {
      await client.end();
    }
  };
  const pool = new pg.Pool({ connectionString: urlOf(server, name), max: 2 });
  pool.on('error', () => undefined);
  for (const each of rights) await pool.query(each);
  return {
    ownerUrl: urlAs(owner),
    appUrl: urlAs(app),
    owner,
    app,
    async query<Row extends pg.QueryResultRow>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
      return (await pool.query<Row>(sql, [...params])).rows;
    },
    as,
    async drop() {
      await pool.end();
      await dropDatabaseNamed(server, name);
      for (const role of [app, owner]) await administer(server, `drop role ${role}`);
    },
  };
}
