import { StagedWrites } from './0001-staged-writes.ts';
import { WholeLife } from './0002-whole-life.ts';
import { ManagedCredentials } from './0003-credentials.ts';
import { AdminEvents } from './0004-admin-events.ts';
import { AppendOnly } from './0005-append-only.ts';
import { Stops } from './0006-stops.ts';
import { Webhooks } from './0007-webhooks.ts';

/** Every migration, oldest first. The names are in the database: never rename one that was released. */
export const migrations = [
  { name: '0001-staged-writes', class: StagedWrites },
  { name: '0002-whole-life', class: WholeLife },
  { name: '0003-credentials', class: ManagedCredentials },
  { name: '0004-admin-events', class: AdminEvents },
  { name: '0005-append-only', class: AppendOnly },
  { name: '0006-stops', class: Stops },
  { name: '0007-webhooks', class: Webhooks },
];
