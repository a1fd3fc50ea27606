import { CallError } from '../../domain/error.ts';
import { shown } from '../../domain/preview.ts';
import { type Stop, stopMet } from '../../domain/stop.ts';
import type { Stops } from '../ports/stops.ts';

/** A tool as it is declared, or an action as it was staged. */
type Target = { readonly endpoint: string } & ({ readonly name: string } | { readonly tool: string });

/** The stop that the call meets, if any, as it was known at most a second ago. */
export async function stopMetBy(stops: Stops, tenantId: string, target: Target): Promise<Stop | undefined> {
  return stopMet(await stops.recent(tenantId), named(target));
}

/** Throws STOPPED when there is one. */
export async function assertNotStopped(stops: Stops, tenantId: string, target: Target): Promise<void> {
  const met = await stopMetBy(stops, tenantId, target);
  if (met !== undefined) throw stopped(met);
}

/** The same, as it is now: for whoever found that a claim was not to be had. */
export async function assertNotStoppedNow(stops: Stops, tenantId: string, target: Target): Promise<void> {
  const met = stopMet(await stops.list(tenantId), named(target));
  if (met !== undefined) throw stopped(met);
}

export function stopped({ kind, name, reason, at }: Stop): CallError {
  const what = { TOOL: `The tool ${name}`, ENDPOINT: `The endpoint ${name}`, TENANT: 'Everything of this tenant' }[
    kind
  ];
  const why = reason === '' ? '' : `: ${shown(reason)}`;
  return new CallError('STOPPED', {
    message: `${what} is stopped by an operator since ${at.toISOString()}${why}. Nothing ran, and what waits for a person stays as it is.`,
    field: kind === 'TENANT' ? 'authorization' : 'tool',
    ...(kind === 'TENANT' ? {} : { receivedJson: JSON.stringify(name) }),
    alternatives: [
      { action: 'get', description: 'Reading what was staged before goes on; ask an operator when it is resumed.' },
    ],
  });
}

function named(target: Target): { readonly tool: string; readonly endpoint: string } {
  return { tool: 'tool' in target ? target.tool : target.name, endpoint: target.endpoint };
}
