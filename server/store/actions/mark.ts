import type { Observed } from '../../domain/action.ts';
import { type ObservedRow, observedOf } from './observed.ts';

/**
 * `mark`, a text that is another one whenever the row of `action a`, or one of its attempts, has been written in between, by whomever.
 * Each write of a row is named by its transaction. Those names begin anew in the database that takes over from a lost one, so the
 * start of the server is in it too; and they come again after four thousand million, by when the version has risen. They also come
 * again for what was lost, with `synchronous_commit` off, when PostgreSQL goes on after a crash without a new start: so what a write
 * says, and when, is in it as well.
 */
export const markColumn = `
  concat_ws(' ', date_part('epoch', pg_postmaster_start_time()), a.version, a.xmin, a.state, a.effect,
    coalesce(date_part('epoch', a.settled_at), 0), coalesce(date_part('epoch', a.next_probe_at), 0),
    coalesce(hashtextextended(a.decided, 0), 0),
    (select string_agg(concat_ws('.', t.number, t.xmin, t.outcome, t.effect, date_part('epoch', t.finished_at),
        octet_length(t.error), octet_length(t.result)), ' ' order by t.number)
      from attempt t where t.action_id = a.id and t.tenant_id = a.tenant_id)) as mark`;

export interface MarkedRow extends ObservedRow {
  readonly mark: string;
}

/** An action as it was read, the mark that its rows had then, and what it holds in memory, characters. */
export interface Marked extends Observed {
  readonly mark: string;
  readonly weight: number;
}

export function markedOf(row: MarkedRow): Marked {
  return { ...observedOf(row), mark: row.mark, weight: weightOf(row) };
}

/** What an action and each of its attempts holds beside its texts, characters. */
const besides = 2_000;

/** All texts of the rows, whatever they are: a vendor's reasons and what is decided may be as long as arguments and results. */
function weightOf(row: MarkedRow): number {
  let weight = besides + textsIn(row);
  for (const attempt of row.attempts ?? []) weight += besides + textsIn(attempt);
  return weight;
}

function textsIn(row: object): number {
  let length = 0;
  for (const value of Object.values(row)) if (typeof value === 'string') length += value.length;
  return length;
}
