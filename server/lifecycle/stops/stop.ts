import { distance } from 'fastest-levenshtein';
import type { Principal } from '../../domain/principal.ts';
import type { Stop, StopTarget } from '../../domain/stop.ts';
import { invalidRequest } from '../invalid-request.ts';
import { wholeTenantOperator } from '../operator.ts';
import type { ToolCatalog } from '../ports/catalog.ts';
import type { Stops } from '../ports/stops.ts';
import type { StopInput } from './stop-input.ts';

const most = 3;

/**
 * Stops a tool, an endpoint or the tenant. A name that is not declared is refused: whoever mistypes it in a hurry would believe
 * that the thing is stopped.
 */
export async function stop(
  stops: Stops,
  catalog: Pick<ToolCatalog, 'names' | 'endpoints'>,
  principal: Principal,
  { kind, name, reason }: StopInput,
): Promise<Stop> {
  const by = wholeTenantOperator(principal, 'Tools, endpoints and tenants are stopped');
  assertTarget({ kind, name });
  if (kind !== 'TENANT') assertDeclared(kind === 'TOOL' ? catalog.names() : catalog.endpoints(), { kind, name });
  return stops.stop(principal.tenantId, { kind, name }, reason, by);
}

/** A tenant is stopped as a whole, everything else by its name. */
export function assertTarget({ kind, name }: StopTarget): void {
  if ((kind === 'TENANT') === (name === '')) return;
  const message =
    kind === 'TENANT'
      ? 'The whole tenant is stopped without a name: leave name empty, or say which kind of thing it names.'
      : `name must say which ${kind.toLowerCase()}.`;
  throw invalidRequest({ message, field: 'name', receivedJson: JSON.stringify(name) });
}

function assertDeclared(declared: readonly string[], { kind, name }: StopTarget): void {
  if (declared.includes(name)) return;
  const nearest = declared.toSorted((a, b) => distance(name, a) - distance(name, b)).slice(0, most);
  throw invalidRequest({
    message: `No ${kind.toLowerCase()} is called ${JSON.stringify(name)}; nothing was stopped.`,
    field: 'name',
    receivedJson: JSON.stringify(name),
    acceptedJson: nearest.map((each) => JSON.stringify(each)),
  });
}
