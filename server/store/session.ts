import { Client } from 'pg';

/** A connection of its own for as long as the work takes. Rejects with the driver's error when none is to be had. */
export async function withSession<T>(url: string, name: string, work: (session: Client) => Promise<T>): Promise<T> {
  const session = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, application_name: name });
  // A connection that is lost is told by whatever was asked over it.
  session.on('error', () => undefined);
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
}
