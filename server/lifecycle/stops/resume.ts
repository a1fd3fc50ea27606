import type { Principal } from '../../domain/principal.ts';
import type { Stop } from '../../domain/stop.ts';
import { invalidRequest } from '../invalid-request.ts';
import { wholeTenantOperator } from '../operator.ts';
import type { Stops } from '../ports/stops.ts';
import { assertTarget } from './stop.ts';
import type { StopInput } from './stop-input.ts';

/** Takes a stop back. What is not stopped is refused, with what is, so that nobody believes a mistyped name. */
export async function resume(stops: Stops, principal: Principal, { kind, name, reason }: StopInput): Promise<Stop> {
  const by = wholeTenantOperator(principal, 'Tools, endpoints and tenants are resumed');
  assertTarget({ kind, name });
  const resumed = await stops.resume(principal.tenantId, { kind, name }, reason, by);
  if (resumed !== undefined) return resumed;
  const standing = await stops.list(principal.tenantId);
  throw invalidRequest({
    message: `This ${kind.toLowerCase()} is not stopped, or was resumed before; nothing was changed.`,
    field: 'name',
    receivedJson: JSON.stringify(name),
    acceptedJson: standing.filter((each) => each.kind === kind).map((each) => JSON.stringify(each.name)),
  });
}
