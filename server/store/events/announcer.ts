import type { Database, Statement } from '../database.ts';
import type { StoreLogger } from '../orm.ts';
import { channel, tenantsAtOnce } from './channel.ts';

/** Tells of trails that got longer, in batches. */
export interface Announcer {
  /** Remembers the tenant for the next batch; costs nothing and never fails. */
  announce(tenantId: string): void;
  /** Sends what is remembered, and takes no more. */
  close(): Promise<void>;
}

/** At most one notification in this time, milliseconds: commits that notify wait for each other in PostgreSQL. */
const betweenMs = 100;

/** Nothing is lost with a notification, so its commit need not wait for the disk. */
const notify: Statement = {
  name: 'event_notify',
  writes: true,
  text: `select set_config('synchronous_commit', 'off', true), pg_notify($1, tenants) from unnest($2::text[]) as tenants`,
};

/** `here` is told of each batch directly, so that this process does not depend on hearing itself. */
export function createAnnouncer(
  database: Database,
  here: (tenantIds: readonly string[]) => void,
  logger?: StoreLogger,
): Announcer {
  const waiting = new Set<string>();
  let state: State = { kind: 'idle' };

  const schedule = (): void => {
    state = { kind: 'gathering', timer: setTimeout(flush, betweenMs) };
  };

  /** One at a time: while the database is slow, what comes meanwhile makes one batch. */
  const flush = (): void => {
    const sent = send().then(() => {
      if (state.kind === 'closed') return;
      if (waiting.size > 0) schedule();
      else state = { kind: 'idle' };
    });
    state = { kind: 'sending', sent };
  };

  const send = async (): Promise<void> => {
    const tenantIds = [...waiting];
    waiting.clear();
    here(tenantIds);
    try {
      await database.run(notify, [channel, payloads(tenantIds)]);
    } catch (error) {
      logger?.warn({ err: error }, 'other replicas could not be told of events; they find them a little later');
    }
  };

  return {
    announce(tenantId) {
      waiting.add(tenantId);
      if (state.kind === 'idle') schedule();
    },
    async close() {
      const before = state;
      state = { kind: 'closed' };
      if (before.kind === 'gathering') clearTimeout(before.timer);
      if (before.kind === 'sending') await before.sent;
      if (waiting.size > 0) await send();
    },
  };
}

/** Gathering: a batch goes out when the timer fires. */
type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'gathering'; readonly timer: NodeJS.Timeout }
  | { readonly kind: 'sending'; readonly sent: Promise<void> }
  | { readonly kind: 'closed' };

function payloads(tenantIds: readonly string[]): string[] {
  const count = Math.ceil(tenantIds.length / tenantsAtOnce);
  return Array.from({ length: count }, (_, index) =>
    tenantIds.slice(index * tenantsAtOnce, (index + 1) * tenantsAtOnce).join(','),
  );
}
