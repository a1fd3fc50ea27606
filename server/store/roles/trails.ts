/** The tables that nobody but their owner may change, and what the role that the server runs as may do with them. */
export const guarded = [
  { table: 'event', may: ['select', 'insert'] },
  { table: 'admin_event', may: ['select', 'insert'] },
  { table: 'migration', may: ['select'] },
] as const;

/** What graphile-worker keeps its jobs in. */
export const queueSchema = 'graphile_worker';
