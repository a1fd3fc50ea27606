/** What there is to do, over all tenants, for who runs the installation. Implemented by store. */

/** Work that waits for its time, or for a worker. */
export const workKinds = ['expiry_or_lease', 'probe_or_verification', 'webhook', 'job'] as const;
export type WorkKind = (typeof workKinds)[number];

/** States that an action does not stay in. */
export const openStates = ['PENDING', 'EXECUTING', 'INDETERMINATE'] as const;

/** Counts end at {@link Survey.most}: a survey must cost little, however much there is. */
export interface Survey {
  readonly most: number;
  readonly actions: Readonly<Record<(typeof openStates)[number], number>>;
  readonly needingAttention: number;
  /** What is due by now, and for how long the oldest of it has been, in seconds; 0 when nothing is. */
  readonly due: Readonly<Record<WorkKind, { readonly count: number; readonly oldestSeconds: number }>>;
}

/** The connections to the database, as they are just now. */
export interface PoolLoad {
  readonly used: number;
  readonly idle: number;
  /** Who waits for one. */
  readonly waiting: number;
}
