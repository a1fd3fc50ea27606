import type { ActionId, Observed } from '../../domain/action.ts';
import type { Database } from '../database.ts';
import { type MarkedRow, markColumn, markedOf } from './mark.ts';
import { observedColumns } from './observed.ts';
import { createRemembered } from './remembered.ts';
import { type Statements, together } from './together.ts';

const whole = statements('action_by_id', 'action_by_ids', `${observedColumns}, ${markColumn}`);
const marks = statements('action_mark', 'action_marks', `${markColumn}, now() as at`);

/** The limit keeps the planner from making a join, whose plan reads all of `action` when it was made while the tables were empty. */
function statements(one: string, many: string, columns: string): Statements {
  const found = (id: string) => `select ${columns} from action a where a.id = ${id} and a.tenant_id = $2`;
  return {
    one: { name: one, writes: false, text: found('$1') },
    many: {
      name: many,
      writes: false,
      text: `select found.*, wanted.place::int from unnest($1::uuid[]) with ordinality as wanted (id, place),
        lateral (${found('wanted.id')} limit 1) found`,
    },
  };
}

interface Mark {
  readonly mark: string;
  readonly at: Date;
}

/**
 * Finds single actions, many by one statement. What was read before is not read again while its rows are the same, of which the
 * database is asked each time, after the action was asked for. The action is then the same object, so that whatever was made of it
 * need not be made again.
 */
export function createFind(database: Database): (tenantId: string, id: ActionId) => Promise<Observed | undefined> {
  const remembered = createRemembered();
  const readMark = together<Mark>(database, marks);
  const readWhole = together<MarkedRow>(database, whole);
  return async (tenantId, id) => {
    const known = remembered.get(tenantId, id);
    if (known !== undefined) {
      const now = await readMark(tenantId, id);
      if (now === undefined) {
        remembered.forget(tenantId, id);
        return undefined;
      }
      if (now.mark === known.mark) return { action: known.action, at: now.at };
    }
    const row = await readWhole(tenantId, id);
    if (row === undefined) return undefined;
    const read = markedOf(row);
    remembered.set(read);
    return read;
  };
}
