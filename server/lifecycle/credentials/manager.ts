import type { Actor } from '../../domain/action.ts';
import type { Principal } from '../../domain/principal.ts';
import { wholeTenantOperator } from '../operator.ts';

/**
 * Who manages credentials. An operator of some scopes only does not: their credential would make itself one that is good for
 * all. Throws PERMISSION_DENIED.
 */
export function managerOf(principal: Principal): Actor {
  return wholeTenantOperator(principal, 'Credentials are managed');
}
