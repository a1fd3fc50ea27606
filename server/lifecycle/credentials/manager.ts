import type { Actor } from '../../domain/action.ts';
import { CallError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';

/**
 * Who manages credentials, as the audit trail names them. Throws PERMISSION_DENIED for an operator of some scopes only: their
 * credential would make itself one that is good for all.
 */
export function managerOf({ role, scopes, credentialId, userId }: Principal): Actor {
  if (role === 'operator' && scopes === null) return { credentialId, userId };
  throw new CallError('PERMISSION_DENIED', {
    message: 'Credentials are managed by operators whose own credential is good for all scopes.',
    field: 'authorization',
    receivedJson: JSON.stringify(role),
  });
}
