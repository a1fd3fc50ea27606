import type { Actor } from './action.ts';

/** What an operator can stop in a tenant: one tool, one endpoint with all its tools, or everything. */
export const stopKinds = ['TOOL', 'ENDPOINT', 'TENANT'] as const;
export type StopKind = (typeof stopKinds)[number];

export interface StopTarget {
  readonly kind: StopKind;
  /** The tool or endpoint; empty for the tenant. */
  readonly name: string;
}

/** While it stands nothing new is staged or claimed; what is under way is finished and settled. */
export interface Stop extends StopTarget {
  readonly tenantId: string;
  /** In the operator's words; may be empty. */
  readonly reason: string;
  readonly by: Actor;
  readonly at: Date;
}

/** The stop that a call of the tool meets, if any; the widest is told first. */
export function stopMet(
  stops: readonly Stop[],
  { tool, endpoint }: { readonly tool: string; readonly endpoint: string },
): Stop | undefined {
  const meets: Record<StopKind, (stop: Stop) => boolean> = {
    TENANT: () => true,
    ENDPOINT: ({ name }) => name === endpoint,
    TOOL: ({ name }) => name === tool,
  };
  const width: readonly StopKind[] = ['TENANT', 'ENDPOINT', 'TOOL'];
  return stops
    .filter((stop) => meets[stop.kind](stop))
    .toSorted((a, b) => width.indexOf(a.kind) - width.indexOf(b.kind))[0];
}
