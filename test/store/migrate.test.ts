import { expect, test } from 'vitest';
import { needsAttention } from '../../server/domain/action.ts';
import { migrate } from '../../server/store/migrate.ts';
import { openStore } from '../../server/store/open.ts';
import { createOrm } from '../../server/store/orm.ts';
import { createDatabase } from '../support/database.ts';
import { newId } from './proposal.ts';

test('four replicas that start at once on an empty database migrate it once', async () => {
  const database = await createDatabase({ empty: true });
  try {
    await Promise.all([1, 2, 3, 4].map(() => migrate(database.url)));
    expect(await database.query('select name from migration order by id')).toEqual([
      { name: '0001-staged-writes' },
      { name: '0002-whole-life' },
      { name: '0003-credentials' },
      { name: '0004-admin-events' },
      { name: '0005-append-only' },
      { name: '0006-stops' },
      { name: '0007-webhooks' },
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

test('every key and unique index holds the tenant, and none but the key of actions begins with it', async () => {
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
      if (table !== 'action') expect(columns[0], table).not.toBe('tenant_id');
    }
  } finally {
    await database.drop();
  }
});

test('what was recorded before the second migration is as it would be recorded now', async () => {
  const database = await createDatabase({ empty: true });
  const orm = createOrm({ url: database.url, poolSize: 1 });
  try {
    await orm.migrator.up({ to: '0001-staged-writes' });
    const rows = [
      ['PENDING', 'NONE', null],
      ['PENDING', 'UNKNOWN', 'FAILED'],
      ['EXECUTING', 'UNKNOWN', 'OPEN'],
      ['INDETERMINATE', 'UNKNOWN', 'NO_ANSWER'],
      ['SUCCEEDED', 'APPLIED', 'SUCCEEDED'],
      ['SUCCEEDED', 'APPLIED', 'NO_ANSWER'],
      ['EXPIRED', 'APPLIED', 'SUCCEEDED'],
      ['EXPIRED', 'NONE', null],
    ] as const;
    for (const [state, effect, outcome] of rows) {
      const id = newId();
      await database.query(
        `insert into action (id, tenant_id, scope, user_id, tool, arguments, preview_digest, plan_id, summary, risk, endpoint,
          proposed_by_credential, proposed_by_user, intent_hash, state, effect, version, created_at, expires_at)
        values ($1::uuid, 'acme', '', 'u', $2, '{}', '', $1::uuid::text, '"s"', 'normal', 'pos', 'c', 'u', '', $3, $4, 1,
          '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z')`,
        [id, `${state} ${outcome}`, state, effect],
      );
      if (outcome === null) continue;
      const left = outcome === 'SUCCEEDED' ? 'APPLIED' : 'UNKNOWN';
      await database.query(
        `insert into attempt (action_id, number, tenant_id, outcome, effect, started_at, deadline_at, lease_until,
          finished_at, confirmed_by_credential, confirmed_by_user)
        values ($1, 1, 'acme', $2::attempt_outcome, $3, now(), now(), now(), case when $2::attempt_outcome <> 'OPEN' then now() end, 'c', 'u')`,
        [id, outcome, left],
      );
    }
    await orm.migrator.up();
    const store = await openStore({ url: database.url, poolSize: 1 });
    const query = { tenantId: 'acme', filter: {}, scopes: null, proposedByCredential: null, limit: 50, after: null };
    const { items } = await store.actions.list(query);
    const marked = await store.actions.list({ ...query, filter: { needsAttention: true } });
    await store.close();
    expect(items).toHaveLength(rows.length);
    for (const { action } of items) {
      expect(action).toMatchObject({
        placedAt: new Date('2026-01-02T00:00:00Z'),
        value: null,
        fourEyes: false,
        intentWindowMs: 0,
        verification: null,
        note: '',
        nextProbeAt: null,
      });
    }
    const ids = (found: typeof items) => found.map(({ action }) => action.tool).sort();
    expect(ids(marked.items)).toEqual(ids(items.filter(({ action }) => needsAttention(action))));
    expect(ids(marked.items)).toEqual([
      'EXPIRED SUCCEEDED',
      'INDETERMINATE NO_ANSWER',
      'PENDING FAILED',
      'SUCCEEDED NO_ANSWER',
    ]);
  } finally {
    await orm.close(true);
    await database.drop();
  }
});

test('a server of the version before goes on staging while its successor is there already', async () => {
  const database = await createDatabase();
  try {
    // As that version's statement names the columns.
    const id = newId();
    await database.query(
      `insert into action (id, tenant_id, scope, user_id, tool, arguments, preview_digest, plan_id, summary, risk,
        reversible, endpoint, proposed_by_credential, proposed_by_user, intent_hash, state, effect, version,
        created_at, expires_at, sweep_at)
      values ($1::uuid, 'acme', '', 'u', 't', '{}', '', $1::uuid::text, '"s"', 'normal', null, 'pos', 'c', 'u', '', 'PENDING', 'NONE', 1,
        now(), now() + interval '1 hour', now() + interval '1 hour')`,
      [id],
    );
    const store = await openStore({ url: database.url, poolSize: 1 });
    const found = await store.actions.find('acme', id);
    await store.close();
    expect(found?.action).toMatchObject({ state: 'PENDING', fourEyes: false, intentWindowMs: 0 });
    expect(found?.action.placedAt).toEqual(found?.action.createdAt);
  } finally {
    await database.drop();
  }
});
