import { expect, test } from 'vitest';
import { migrate } from '../../server/store/migrate.ts';
import { createOrm } from '../../server/store/orm.ts';
import { createDatabase } from '../support/database.ts';

test('four replicas that start at once on an empty database migrate it once', async () => {
  const database = await createDatabase({ empty: true });
  try {
    await Promise.all([1, 2, 3, 4].map(() => migrate(database.url)));
    expect(await database.query('select name from migration order by id')).toEqual([
      { name: '0001-staged-writes' },
      { name: '0002-whole-life' },
    ]);
  } finally {
    await database.drop();
  }
});

test('the migrations make the tables that the entities describe', async () => {
  const database = await createDatabase();
  const orm = createOrm({ url: database.url, poolSize: 1 });
  try {
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
  } finally {
    await orm.close(true);
    await database.drop();
  }
});

test('every migration can be taken back', async () => {
  const database = await createDatabase();
  const orm = createOrm({ url: database.url, poolSize: 1 });
  try {
    await orm.migrator.down({ to: 0 });
    const tables = await database.query(`select tablename from pg_tables where schemaname = 'public'`);
    expect(tables).toEqual([{ tablename: 'migration' }]);
  } finally {
    await orm.close(true);
    await database.drop();
  }
});

test('every key and unique index holds the tenant, and never begins with it', async () => {
  const database = await createDatabase();
  try {
    const keys = await database.query<{ table: string; columns: string[] }>(`
      select i.indrelid::regclass::text as table,
        array(select a.attname::text from unnest(i.indkey) with ordinality k (number, place)
          join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number order by place) as columns
      from pg_index i join pg_class t on t.oid = i.indrelid join pg_namespace n on n.oid = t.relnamespace
      where i.indisunique and n.nspname = 'public' and t.relname not in ('migration', 'tenant')`);
    expect(keys.length).toBeGreaterThan(7);
    for (const { table, columns } of keys) {
      expect(columns, table).toContain('tenant_id');
      expect(columns[0], table).not.toBe('tenant_id');
    }
  } finally {
    await database.drop();
  }
});
