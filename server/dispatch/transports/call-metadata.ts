import type { EndpointSettings } from '../../domain/endpoint.ts';

/** Metadata of a call, the same on all protocols. `key`: of a call that has one. */
export function metadataOf(key: string | undefined, { bearerToken }: EndpointSettings): Record<string, string> {
  return {
    ...(key === undefined ? {} : { 'x-tether-idempotency-key': key }),
    ...(bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` }),
  };
}
