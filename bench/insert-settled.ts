import pg from 'pg';

/** The tables of a lifecycle, and what must differ from one to the next; `g` has an id and an intent for each. */
const tables = {
  action: `jsonb_build_object('id', g.id, 'intent_hash', g.intent_hash)`,
  attempt: `jsonb_build_object('action_id', g.id)`,
  intent: `jsonb_build_object('action_id', g.id, 'intent_hash', g.intent_hash)`,
  event: `jsonb_build_object('action_id', g.id, 'seq', nextval(pg_get_serial_sequence('event', 'seq')))`,
};

/** Inserts so many copies of the newest settled action with all that hangs on it, by SQL alone. */
export async function insertSettled(databaseUrl: string, count: number): Promise<void> {
  if (count === 0) return;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const [original] = (
      await client.query<{ id: string }>(
        `select id from action where state = 'SUCCEEDED' order by created_at desc limit 1`,
      )
    ).rows;
    await client.query(
      `create temporary table grown as
       select gen_random_uuid() as id, sha256(uuid_send(gen_random_uuid())) as intent_hash from generate_series(1, $1)`,
      [count],
    );
    for (const [table, differences] of Object.entries(tables)) {
      const key = table === 'action' ? 'id' : 'action_id';
      // Taken out first: a table must not be read while it is being filled.
      await client.query(
        `create temporary table original_${table} as select to_jsonb(t) as fields from ${table} t where ${key} = '${original?.id}'`,
      );
      await client.query(
        `insert into ${table}
         select copy.* from original_${table} original cross join grown g
           cross join lateral jsonb_populate_record(null::${table}, original.fields || ${differences}) copy`,
      );
    }
  } finally {
    await client.end();
  }
}
