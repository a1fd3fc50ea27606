import type { Effect, State } from '../../domain/action.ts';
import type { ActionEvent, EventLog, EventType, Position } from '../../lifecycle/ports/events.ts';
import { idOf } from '../actions/observed.ts';
import type { Database, Statement } from '../database.ts';
import { boundsOf, greatestSequence } from './position.ts';

const columns = `e.action_id, e.version, e.type, e.from_state, e.to_state, e.effect, e.attempt, e.actor_credential, e.actor_user,
  e.preview_digest, e.note, e.at, e.transaction_id::text, e.seq::text`;

/** Sequence numbers commit out of order: what is below the oldest running transaction is complete, and stays so. */
const ofTenant: Statement = {
  name: 'event_read',
  writes: false,
  text: `select ${columns} from event e
    where e.tenant_id = $1 and (e.transaction_id, e.seq) > ($2::xid8, $3::bigint)
      and e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    order by e.tenant_id, e.transaction_id, e.seq limit $4`,
};

/**
 * The versions of one action commit in their order, each in a later transaction than the one before, so all that there is can be
 * told at once. Only good to go on in the same action's trail.
 */
const ofAction: Statement = {
  name: 'event_read_action',
  writes: false,
  text: `select ${columns} from event e
    where e.action_id = $5 and e.tenant_id = $1 and (e.transaction_id, e.seq) > ($2::xid8, $3::bigint)
    order by e.version limit $4`,
};

const oldestRunning: Statement = {
  name: 'event_end',
  writes: false,
  text: 'select pg_snapshot_xmin(pg_current_snapshot())::text as transaction',
};

interface EventRow {
  readonly action_id: string;
  readonly version: number;
  readonly type: EventType;
  readonly from_state: State | null;
  readonly to_state: State;
  readonly effect: Effect;
  readonly attempt: number | null;
  readonly actor_credential: string | null;
  readonly actor_user: string | null;
  readonly preview_digest: string;
  readonly note: string | null;
  readonly at: Date;
  readonly transaction_id: string;
  readonly seq: string;
}

/** See {@link EventLog.read}. */
export async function read(
  database: Database,
  { tenantId, actionId, after, limit }: Parameters<EventLog['read']>[0],
): Promise<readonly ActionEvent[]> {
  const values = [tenantId, ...boundsOf(after), limit];
  const rows =
    actionId === undefined
      ? await database.run<EventRow>(ofTenant, values)
      : await database.run<EventRow>(ofAction, [...values, actionId]);
  return rows.map(eventOf);
}

/** See {@link EventLog.end}. */
export async function end(database: Database): Promise<Position> {
  const [row] = await database.run<{ transaction: string }>(oldestRunning, []);
  if (row === undefined) throw new Error('PostgreSQL has no snapshot');
  return { transaction: BigInt(row.transaction) - 1n, sequence: greatestSequence };
}

function eventOf(row: EventRow): ActionEvent {
  const { actor_credential: credentialId, actor_user: userId } = row;
  return {
    actionId: idOf(row.action_id),
    version: row.version,
    type: row.type,
    from: row.from_state,
    to: row.to_state,
    effect: row.effect,
    attempt: row.attempt,
    actor: credentialId === null || userId === null ? null : { credentialId, userId },
    previewDigest: row.preview_digest,
    note: row.note === null ? '' : JSON.parse(row.note),
    at: row.at,
    position: { transaction: BigInt(row.transaction_id), sequence: BigInt(row.seq) },
  };
}
