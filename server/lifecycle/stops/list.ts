import type { Principal } from '../../domain/principal.ts';
import type { Stop } from '../../domain/stop.ts';
import { wholeTenantOperator } from '../operator.ts';
import type { Stops } from '../ports/stops.ts';

/** Everything that is stopped in the caller's tenant now, the newest first. */
export async function listStops(stops: Stops, principal: Principal): Promise<readonly Stop[]> {
  wholeTenantOperator(principal, 'Stops are seen');
  return stops.list(principal.tenantId);
}
