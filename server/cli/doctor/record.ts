/** Whether the record is as this version makes it, guarded as it promises, and read without delay. */
import type { Client } from 'pg';
import type { Config } from '../../config.ts';
import { type DatabasePlace, schemaOf } from '../../prepare-schema.ts';
import { openAppSession } from '../../store/roles/app-session.ts';
import { trailGuard } from '../../store/roles/trail-guard.ts';
import { withSession } from '../../store/session.ts';
import { type Finding, fail, ok, warn, wordsOf } from './finding.ts';

/** Whether the schema is current, so that more can be asked, and what there is to say of it. */
export async function checkSchema(
  { url }: DatabasePlace,
  { migrate }: Config,
): Promise<{ readonly current: boolean; readonly findings: Finding[] }> {
  const { missing, newer } = await schemaOf(url);
  const findings: Finding[] = [];
  if (newer.length > 0)
    findings.push(
      warn('schema', `it is newer than this program: it has ${newer.join(', ')}`, 'use the version that made it'),
    );
  if (missing.length > 0) {
    const message = `it lacks ${missing.join(', ')}`;
    findings.push(
      migrate === 'auto'
        ? warn('schema', message, 'the next start brings it up to date, or "tether migrate" now')
        : fail('schema', message, 'run "tether migrate": TETHER_MIGRATE is off, so no server will start'),
    );
  }
  if (findings.length === 0) findings.push(ok('schema', "it is this version's, the job queue's too"));
  return { current: missing.length === 0, findings };
}

/** That the owner's URL is what it is meant to be. */
export async function checkOwner({ url, ownerUrl }: DatabasePlace): Promise<Finding[]> {
  if (url === ownerUrl) return [];
  try {
    const role = await withSession(ownerUrl, 'tether-doctor', async (owner) => {
      const app = await openAppSession(url, owner);
      await app?.end();
      return app?.role;
    });
    if (role !== undefined)
      return [ok('owner', `the owner of the tables is another role than ${role}, as whom the server runs`)];
    return [
      fail('owner', 'TETHER_OWNER_DATABASE_URL and DATABASE_URL are one role', 'docs/audit.md says how to make two'),
    ];
  } catch (error) {
    return [
      fail('owner', wordsOf(error), 'correct TETHER_OWNER_DATABASE_URL; docs/audit.md says how the two roles are made'),
    ];
  }
}

export async function checkTrail(session: Client, config: Config): Promise<Finding[]> {
  const { role, ways, triggersMissing, floorDays } = await trailGuard(session);
  const findings: Finding[] = [];
  if (ways.length === 0)
    findings.push(ok('trail', `PostgreSQL does not let ${role}, as whom the server runs, change the audit trails`));
  else {
    const message = `${role}, as whom the server runs, could change the audit trails in spite of all, since ${ways.join(', and ')}`;
    const advice = 'triggers stop mistakes only; docs/audit.md says how to part the owner from the role of the server';
    const promised = config.ownerDatabaseUrl !== null || config.databaseUrl === null;
    findings.push(
      promised ? fail('trail', message, `${advice}; run "tether migrate" then`) : warn('trail', message, advice),
    );
  }
  if (triggersMissing.length > 0)
    findings.push(
      fail(
        'trail-triggers',
        `not there, or turned off: ${triggersMissing.join(', ')}`,
        'find out who did it; turn them on as the owner: alter table … enable trigger all',
      ),
    );
  else findings.push(ok('trail-triggers', 'triggers refuse to change the audit trails'));
  const days = config.retention.eventsMs / 86_400_000;
  if (days < floorDays)
    findings.push(
      warn(
        'retention',
        `events are kept for ${floorDays} days, not ${days}: audit_floor() says more than TETHER_AUDIT_RETENTION_DAYS`,
        'make them agree',
      ),
    );
  else
    findings.push(
      ok('retention', `events are kept for ${days} days, and nobody can have them deleted before ${floorDays}`),
    );
  return findings;
}

/** Only transactions that write hold the trail back; of other users' little may be seen, so its effect is asked for too. */
const waiting = `select
  (select count(*)::int from pg_stat_activity where backend_xid is not null and xact_start < now() - interval '1 minute') as long,
  (select string_agg(distinct coalesce(nullif(application_name, ''), 'process ' || pid), ', ') from pg_stat_activity
    where backend_xid is not null and xact_start < now() - interval '1 minute') as names,
  (select count(*)::int from pg_prepared_xacts where prepared < now() - interval '1 minute') as prepared,
  (select extract(epoch from now() - min(e.at))::int from tenant t cross join lateral (
    select x.at from event x where x.tenant_id = t.id and x.transaction_id >= pg_snapshot_xmin(pg_current_snapshot())
    order by x.tenant_id, x.transaction_id, x.seq limit 1) e) as behind`;

/** More than this is no ordinary commit on its way, seconds. */
const patienceSeconds = 60;

export async function checkTransactions(session: Client): Promise<Finding[]> {
  const { rows } = await session.query<{ long: number; names: string | null; prepared: number; behind: number | null }>(
    waiting,
  );
  const [seen] = rows;
  if (seen === undefined) throw new Error('PostgreSQL does not say what runs');
  const reasons = [
    ...(seen.long > 0 ? [`${seen.long} transactions that write are open for more than a minute (${seen.names})`] : []),
    ...(seen.prepared > 0 ? [`${seen.prepared} prepared transactions wait to be committed`] : []),
    ...((seen.behind ?? 0) > patienceSeconds ? [`events of ${seen.behind} s ago cannot be told yet`] : []),
  ];
  if (reasons.length === 0) return [ok('transactions', 'no long transaction holds Watch and the audit trails back')];
  const advice =
    'Watch, webhooks and the trails wait for them, also for those of other databases on this server; nothing is lost. End them';
  return [warn('transactions', reasons.join('; '), advice)];
}
