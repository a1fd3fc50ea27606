import type { Client } from 'pg';

/** The oldest PostgreSQL that will do, as `server_version_num` has it: its manual's MAJOR × 10000 + MINOR. */
export const leastVersion = 140_000;

/** Rejects with an Error that says which version there is, and which is needed. */
export async function checkVersion(session: Client): Promise<void> {
  const { rows } = await session.query<{ number: number; version: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version`,
  );
  if (rows[0] === undefined || rows[0].number >= leastVersion) return;
  throw new Error(`it is PostgreSQL ${rows[0].version}, and 14 or newer is needed`);
}
