/** A PostgreSQL of its own that takes TLS, and plain text too, and remembers how everybody came. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../../server/store/embedded/embedded.ts';
import { locate } from '../../server/store/embedded/home.ts';
import { authority, server } from '../dispatch/certificates.ts';

/** How one connection was let in. */
export interface Arrival {
  readonly user: string;
  /** An address, or `[local]`: a Unix socket. */
  readonly from: string;
  readonly application: string;
  readonly tls: boolean;
}

export interface TlsDatabase {
  /** As the superuser, by `localhost`, which is in the certificate; without parameters. */
  readonly url: string;
  /** Runs SQL over plain text, as nobody whom `arrivals` tells of. */
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>;
  /** Every connection to this database since the last time it was asked, but the test's own. */
  arrivals(): Promise<Arrival[]>;
  stop(): Promise<void>;
}

export async function startTlsDatabase(): Promise<TlsDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tether-tls-database-'));
  const settings = { fsync: 'off', log_connections: 'on', log_line_prefix: '%h ', unix_socket_directories: tmpdir() };
  const embedded = await startEmbedded({ dataDir, settings });
  const { log } = await locate(join(dataDir, 'postgres'));
  const pool = new pg.Pool({ connectionString: embedded.ownerUrl, max: 1, application_name: 'test', ssl: false });
  pool.on('error', () => undefined);
  const query = async <Row extends pg.QueryResultRow>(sql: string) => (await pool.query<Row>(sql)).rows;
  // Only PostgreSQL itself can write a key as the user that it runs as, whoever runs the test.
  const files = { 'server.crt': server.cert, 'server.key': server.key, 'root.crt': authority };
  for (const [file, text] of Object.entries(files))
    for (const line of ['', ...text.trim().split('\n')])
      await query(`copy (select '${line}') to program 'umask 077; ${line === '' ? 'cat >' : 'cat >>'} ${file}'`);
  await query(`alter system set ssl_ca_file = 'root.crt'`);
  await query('alter system set ssl = on');
  await query('select pg_reload_conf()');
  for (;;) if ((await query<{ ssl: string }>('show ssl'))[0]?.ssl === 'on') break;
  let seen = 0;
  const url = new URL(embedded.ownerUrl);
  url.hostname = 'localhost';
  url.search = '';
  return {
    url: url.href,
    query,
    async arrivals() {
      const text = await readFile(log, 'utf8');
      const told = text
        .slice(seen)
        .matchAll(/^(\S+) LOG: +connection authorized: user=(\S+) database=tether(?: application_name=(\S+))?(.*)$/gm);
      seen = text.length;
      return [...told]
        .map(([, from = '', user = '', application = '', how = '']) => ({
          from,
          user,
          application,
          tls: how.includes('SSL enabled'),
        }))
        .filter(({ application }) => application !== 'test');
    },
    async stop() {
      await pool.end();
      await embedded.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
