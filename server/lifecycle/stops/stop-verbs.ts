import type { Principal } from '../../domain/principal.ts';
import type { Stop } from '../../domain/stop.ts';
import type { ToolCatalog } from '../ports/catalog.ts';
import type { Stops } from '../ports/stops.ts';
import { listStops } from './list.ts';
import { resume } from './resume.ts';
import { stop } from './stop.ts';
import type { StopInput } from './stop-input.ts';

/** What an operator can stop in their own tenant, and resume. Each throws CallError. */
export interface StopVerbs {
  stop(principal: Principal, input: StopInput): Promise<Stop>;
  resume(principal: Principal, input: StopInput): Promise<Stop>;
  list(principal: Principal): Promise<readonly Stop[]>;
}

export function createStopVerbs(stops: Stops, catalog: Pick<ToolCatalog, 'names' | 'endpoints'>): StopVerbs {
  return {
    stop: (principal, input) => stop(stops, catalog, principal, input),
    resume: (principal, input) => resume(stops, principal, input),
    list: (principal) => listStops(stops, principal),
  };
}
