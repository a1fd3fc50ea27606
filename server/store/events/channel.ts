/** The channel of PostgreSQL on which the replicas tell each other whose trail got longer. */
export const channel = 'tether_events';

/** Payloads are a tenant's id each, with a comma between: at most this many, since PostgreSQL takes 8,000 bytes. */
export const tenantsAtOnce = 100;
