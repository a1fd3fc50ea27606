import { parseActionId, type State } from '../../domain/action.ts';
import type { ListQuery, Page } from '../../lifecycle/ports/action-store.ts';
import type { Database } from '../database.ts';
import { type ObservedRow, observedColumns, observedOf } from './observed.ts';

/** The states in which `sweep_at` is set. */
const sweepable: readonly State[] = ['PENDING', 'EXECUTING'];

/**
 * See {@link ActionStore.list}. Ids are in the order of their making, so a page is a piece of an index, and a new action never
 * moves another from page to page. The statement has no name: it is planned for what is asked.
 */
export async function list(database: Database, query: ListQuery): Promise<Page> {
  const { text, values } = statementOf(query);
  const rows = await database.run<ObservedRow>({ writes: false, text }, values);
  return { items: rows.slice(0, query.limit).map(observedOf), more: rows.length > query.limit };
}

function statementOf(query: ListQuery): { readonly text: string; readonly values: unknown[] } {
  const { filter } = query;
  const values: unknown[] = [];
  const bound = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [`a.tenant_id = ${bound(query.tenantId)}`];
  if (query.after !== null) conditions.push(`a.id < ${bound(query.after)}`);
  if (query.scopes !== null) conditions.push(`a.scope = any(${bound(query.scopes)}::text[])`);
  if (query.proposedByCredential !== null)
    conditions.push(`a.proposed_by_credential = ${bound(query.proposedByCredential)}`);
  if (filter.states !== undefined) {
    conditions.push(`a.state = any(${bound(filter.states)}::action_state[])`);
    // Says nothing new, and lets the few that are under way be found among all that ever were.
    if (filter.states.every((state) => sweepable.includes(state))) conditions.push('a.sweep_at is not null');
  }
  if (filter.scope !== undefined) conditions.push(`a.scope = ${bound(filter.scope)}`);
  if (filter.userId !== undefined) conditions.push(`a.user_id = ${bound(filter.userId)}`);
  if (filter.tool !== undefined) conditions.push(`a.tool = ${bound(filter.tool)}`);
  if (filter.needsAttention === true) conditions.push('a.needs_attention');
  if (filter.planId !== undefined) {
    const plan = bound(filter.planId);
    conditions.push(`a.plan_id = ${plan}`, `a.id = any(array(${inPlan(plan, filter.planId, bound)}))`);
  }
  const text = `select ${observedColumns} from action a
    where ${conditions.join(' and ')} order by a.tenant_id desc, a.id desc limit ${bound(query.limit + 1)}`;
  return { text, values };
}

/** The ids of a plan: of its own index, and the one whose plan was made for it. */
function inPlan(plan: string, planId: string, bound: (value: unknown) => string): string {
  const others = `select p.id from action p where p.plan_id = ${plan} and p.tenant_id = $1 and p.plan_id <> p.id::text`;
  const own = parseActionId(planId);
  return own === undefined ? others : `${others} union all select ${bound(own)}::uuid`;
}
