import type { AuditVerbs } from '../../server/lifecycle/audit/audit-verbs.ts';

/** For doors whose test is about other calls. */
export const noAudit: AuditVerbs = {
  listAdminEvents: () => Promise.reject(new Error('this test reads no trail of operators')),
};
