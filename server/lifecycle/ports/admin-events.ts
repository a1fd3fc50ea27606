/** The trail of what operators did. */

/** What an operator did; the subject is what it was done to. */
export const adminEventTypes = [
  'CREDENTIAL_CREATED',
  'CREDENTIAL_ROTATED',
  'CREDENTIAL_REVOKED',
  'STOPPED',
  'RESUMED',
] as const;
export type AdminEventType = (typeof adminEventTypes)[number];
