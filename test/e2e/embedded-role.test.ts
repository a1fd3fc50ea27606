import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfirmStatus } from '@tether/proto/tether/v1/action_service_pb.ts';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startEmbedded } from '../../server/store/embedded/embedded.ts';
import { createOrm } from '../../server/store/orm.ts';
import { startServer } from '../faults/server-process.ts';
import { startEndpoint } from '../support/endpoint.ts';
import { patience, proposal } from './business.ts';

test('a data directory of an earlier version is upgraded, and the whole life goes as a role that owns nothing', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tether-role-'));
  const endpoint = await startEndpoint();
  const settings = { fsync: 'off' };
  const embedded = await startEmbedded({ dataDir, settings });
  const owner = new pg.Pool({ connectionString: embedded.ownerUrl, max: 1 });
  let stop = async (): Promise<unknown> => undefined;
  try {
    // As that version left it: everything belongs to the superuser, and there is nobody else.
    const orm = createOrm({ url: embedded.ownerUrl, poolSize: 1 });
    await orm.migrator.up({ to: '0003-credentials' });
    await orm.close(true);
    await owner.query('drop role tether_app');
    await rm(join(dataDir, 'postgres', 'data', 'tether-app-password'));

    const catalog = join(dataDir, 'tether.yaml');
    await writeFile(
      catalog,
      `{ version: 1, endpoints: { pos: { transport: json, url: "${endpoint.url}" } },
         tools: { void_ticket: { endpoint: pos, is_write: true, description: Void a ticket., input: { type: object } } } }`,
    );
    // The keys come with the first start, so the clients are made by a second one.
    const none = { agent: '', approver: '' };
    await (await startServer({ databaseUrl: '', dataDir, catalog, keys: none })).stop();
    const keys = JSON.parse(await readFile(join(dataDir, 'keys.json'), 'utf8'));
    const server = await startServer({ databaseUrl: '', dataDir, catalog, keys });
    stop = server.stop;

    const watched = server.agent.watch({})[Symbol.asyncIterator]();
    await watched.next();
    const { action } = await server.agent.stage(proposal('void_ticket', 'T-1'));
    const { status } = await server.approver.confirm({ actionId: action?.id ?? '' });
    expect(status).toBe(ConfirmStatus.EXECUTED);
    await watched.return?.();
    const { action: overdue } = await server.agent.stage(proposal('void_ticket', 'T-2'));
    await owner.query('update action set created_at = now(), expires_at = now(), sweep_at = now() where id = $1', [
      overdue?.id,
    ]);
    const stateOf = 'select state from action where id = $1';
    await expect
      .poll(async () => (await owner.query(stateOf, [overdue?.id])).rows, patience)
      .toEqual([{ state: 'EXPIRED' }]);

    const sessions = `select distinct usename as role, application_name as name from pg_stat_activity
      where datname = 'tether' and pid <> pg_backend_pid() order by name`;
    await expect
      .poll(async () => (await owner.query(sessions)).rows, patience)
      .toEqual(['tether', 'tether-events', 'tether-jobs'].map((name) => ({ role: 'tether_app', name })));
    await expect(owner.query('set role tether_app; update event set at = now()')).rejects.toThrow('permission denied');
  } finally {
    await stop();
    await owner.end();
    await embedded.stop();
    await endpoint.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 120_000);
