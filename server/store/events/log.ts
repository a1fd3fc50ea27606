import type { EventLog } from '../../lifecycle/ports/events.ts';
import type { Database } from '../database.ts';
import type { OrmOptions } from '../orm.ts';
import { createAnnouncer } from './announcer.ts';
import { createListener } from './listener.ts';
import { end, read } from './read.ts';

/** The audit trail, with what its writers and its owner need of it. */
export interface OpenEventLog extends EventLog {
  /** To be told of each tenant whose trail got longer, after the commit; costs nothing and never fails. */
  readonly announce: (tenantId: string) => void;
  /** Tells what is to be told yet, and listens no more. */
  close(): Promise<void>;
}

/** The audit trail in PostgreSQL. Reading is what counts: word of new events only makes it sooner (DESIGN §2.3). */
export function createEventLog(database: Database, options: Pick<OrmOptions, 'url' | 'logger'>): OpenEventLog {
  const listener = createListener(options);
  const announcer = createAnnouncer(database, listener.wake, options.logger);
  return {
    read: (query) => read(database, query),
    end: () => end(database),
    listen: listener.listen,
    announce: announcer.announce,
    async close() {
      await announcer.close();
      await listener.close();
    },
  };
}
