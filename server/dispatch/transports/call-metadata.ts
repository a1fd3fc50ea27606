import type { EndpointSettings } from '../../domain/endpoint.ts';
import type { Carried } from '../../lifecycle/ports/telemetry.ts';

/** Metadata of a call, the same on all protocols. `key`: of a call that has one; `carried`: never in the place of ours. */
export function metadataOf(
  key: string | undefined,
  { bearerToken }: EndpointSettings,
  carried: Carried,
): Record<string, string> {
  return {
    ...carried,
    ...(key === undefined ? {} : { 'x-tether-idempotency-key': key }),
    ...(bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` }),
  };
}
