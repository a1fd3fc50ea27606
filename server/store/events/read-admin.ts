import type { AdminEvent, AdminEventLog } from '../../lifecycle/ports/admin-events.ts';
import type { Database, Statement } from '../database.ts';
import { boundsOf } from './position.ts';

/** As of `event`: what is below the oldest running transaction is complete, and stays so. */
const statement: Statement = {
  writes: false,
  text: `select e.tenant_id, e.type, e.subject, e.actor_credential, e.actor_user, e.detail, e.at, e.transaction_id::text,
      e.seq::text
    from admin_event e
    where e.tenant_id = $1 and (e.transaction_id, e.seq) > ($2::xid8, $3::bigint)
      and e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
      and ($5::text[] is null or e.type = any($5)) and ($6::text is null or e.subject = $6)
    order by e.tenant_id, e.transaction_id, e.seq limit $4`,
};

interface Row {
  readonly tenant_id: string;
  readonly type: string;
  readonly subject: string;
  readonly actor_credential: string | null;
  readonly actor_user: string | null;
  readonly detail: string;
  readonly at: Date;
  readonly transaction_id: string;
  readonly seq: string;
}

/** See {@link AdminEventLog.read}. */
export async function readAdminEvents(
  database: Database,
  { tenantId, types, subject, after, limit }: Parameters<AdminEventLog['read']>[0],
): Promise<readonly AdminEvent[]> {
  const rows = await database.run<Row>(statement, [tenantId, ...boundsOf(after), limit, types, subject]);
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    type: row.type,
    subject: row.subject,
    actor:
      row.actor_credential === null || row.actor_user === null
        ? null
        : { credentialId: row.actor_credential, userId: row.actor_user },
    detailJson: row.detail,
    at: row.at,
    position: { transaction: BigInt(row.transaction_id), sequence: BigInt(row.seq) },
  }));
}
