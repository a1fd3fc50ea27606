import { setTimeout as delay } from 'node:timers/promises';
import type { ActionId } from '../../domain/action.ts';
import type { Position } from '../../lifecycle/ports/events.ts';
import type { Store } from '../../store/open.ts';
import { sayFault } from '../fault.ts';
import { knownTenant } from '../known-tenant.ts';
import type { Output } from '../output.ts';
import { faultOf, Refused } from '../told.ts';
import { withStoreAsItIs } from '../with-store.ts';
import { type AuditLine, actionEventLine, adminEventLine } from './line.ts';
import { type Pipe, pipeTo } from './pipe.ts';

export interface AuditOptions {
  readonly tenant: string;
  /** Of this action only. */
  readonly action: ActionId | undefined;
  /** The trail of operators instead of that of actions. */
  readonly admin: boolean;
  /** What happened since then. */
  readonly since: Date | undefined;
  /** What stands after this place. */
  readonly after: Position | undefined;
  /** Go on with what is still to come, until it is interrupted. */
  readonly follow: boolean;
  /** Tell what went wrong as a line of JSON too; the events are JSON anyway. */
  readonly json: boolean;
}

const pageSize = 1_000;
const lookEveryMs = 1_000;

/**
 * `tether audit`: one event per line, oldest first, as JSON; resolves with the exit code: 0 all told, or whoever read it has seen
 * enough; 1 refused, or the database cannot be used.
 */
export async function auditTrail(options: AuditOptions, env: NodeJS.ProcessEnv, output: Output): Promise<number> {
  const pipe = pipeTo(process.stdout);
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  const ending = AbortSignal.any([pipe.closed, interrupted.signal]);
  try {
    await withStoreAsItIs(env, (store) => tell(store, options, pipe, ending));
    return 0;
  } catch (error) {
    sayFault(faultOf(error), options.json ? 'lines' : 'text', output);
    return 1;
  }
}

async function tell(store: Store, options: AuditOptions, pipe: Pipe, ending: AbortSignal): Promise<void> {
  const { tenant, action, since, follow } = options;
  await knownTenant(store, tenant);
  let after = options.after ?? null;
  let told = 0;
  while (!ending.aborted) {
    const page = await read(store, options, after);
    const last = page.at(-1);
    if (last !== undefined) {
      after = last.position;
      told += page.length;
      const wanted = since === undefined ? page : page.filter(({ at }) => at >= since);
      await pipe.write(wanted.map(({ text }) => text).join(''));
    }
    if (page.length === pageSize) continue;
    if (!follow) break;
    await delay(lookEveryMs, undefined, { signal: ending }).catch(() => undefined);
  }
  if (action !== undefined && told === 0 && options.after === undefined && !follow)
    throw new Refused(`Tenant ${tenant} has no event of an action ${action}; its trail may be past its retention.`);
}

async function read(
  store: Store,
  { tenant, action, admin }: AuditOptions,
  after: Position | null,
): Promise<readonly AuditLine[]> {
  const query = { tenantId: tenant, after, limit: pageSize };
  if (admin) return (await store.adminEvents.read({ ...query, types: null, subject: null })).map(adminEventLine);
  return (await store.events.read({ ...query, actionId: action })).map((event) => actionEventLine(tenant, event));
}
