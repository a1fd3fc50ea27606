import { expect, test } from 'vitest';
import { createOrm } from '../../server/store/orm.ts';
import { createDatabase } from '../support/database.ts';

test('what was recorded of credentials before there was one trail for all is in it, in its order, and new rows come after', async () => {
  const database = await createDatabase({ empty: true });
  const orm = createOrm({ url: database.url, poolSize: 1 });
  try {
    await orm.migrator.up({ to: '0003-credentials' });
    await database.query(`insert into credential_event (tenant_id, credential_id, type, actor_credential, actor_user, detail, at)
      select 'acme', '0b6a4c1e-7f0e-4a51-9d0e-6b2c8f4a1d33', type, 'tether keys', 'ann', '{"prefix":"tth_acme_12"}',
        '2026-01-02T00:00:00Z'::timestamptz from unnest(enum_range(null::credential_event_type)) as type`);
    await orm.migrator.up({ to: '0004-admin-events' });
    await database.query(
      `insert into admin_event (tenant_id, type, subject, detail) values ('acme', 'LATER', 'all', '{}')`,
    );
    const trail = await database.query('select * from admin_event order by transaction_id, seq');
    const common = {
      tenant_id: 'acme',
      subject: '0b6a4c1e-7f0e-4a51-9d0e-6b2c8f4a1d33',
      actor_credential: 'tether keys',
      actor_user: 'ann',
      detail: '{"prefix":"tth_acme_12"}',
      at: new Date('2026-01-02T00:00:00Z'),
    };
    expect(trail).toMatchObject([
      { ...common, seq: '1', type: 'CREDENTIAL_CREATED' },
      { ...common, seq: '2', type: 'CREDENTIAL_ROTATED' },
      { ...common, seq: '3', type: 'CREDENTIAL_REVOKED' },
      { seq: '4', type: 'LATER', subject: 'all' },
    ]);
  } finally {
    await orm.close(true);
    await database.drop();
  }
});
