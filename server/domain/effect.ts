/** The most that something may have left behind, in ascending order (DESIGN §1). */
export const effects = ['NONE', 'UNKNOWN', 'APPLIED'] as const;
export type Effect = (typeof effects)[number];
