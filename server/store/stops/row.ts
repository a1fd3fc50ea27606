import type { Stop, StopKind } from '../../domain/stop.ts';

/** The columns of a stop, of a table or query that is called `s`. */
export const stopColumns = 's.tenant_id, s.kind, s.name, s.reason, s.by_credential, s.by_user, s.at';

export interface StopRow {
  readonly tenant_id: string;
  readonly kind: StopKind;
  readonly name: string;
  readonly reason: string;
  readonly by_credential: string;
  readonly by_user: string;
  readonly at: Date;
}

export function stopOf(row: StopRow): Stop {
  return {
    tenantId: row.tenant_id,
    kind: row.kind,
    name: row.name,
    reason: row.reason,
    by: { credentialId: row.by_credential, userId: row.by_user },
    at: row.at,
  };
}
