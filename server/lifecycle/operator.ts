import type { Actor } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';

/**
 * Who acts for a whole tenant, as the audit trail names them. Throws PERMISSION_DENIED for anybody else, also for an operator of
 * some scopes only; `what` says in the refusal what such operators do.
 */
export function wholeTenantOperator({ role, scopes, credentialId, userId }: Principal, what: string): Actor {
  if (role === 'operator' && scopes === null) return { credentialId, userId };
  throw new CallError('PERMISSION_DENIED', {
    message: `${what} by operators whose own credential is good for all scopes.`,
    field: 'authorization',
    receivedJson: JSON.stringify(role),
  });
}
