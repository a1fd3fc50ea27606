import type { StopVerbs } from '../../lifecycle/stops/stop-verbs.ts';
import { listStopsRpc } from './list-stops.ts';
import { resumeRpc } from './resume.ts';
import type { Rpc } from './rpc.ts';
import { stopRpc } from './stop.ts';

/** What the doors serve for operators who stop and resume. */
export function createStopRpcs(stops: StopVerbs): readonly Rpc[] {
  return [stopRpc(stops), resumeRpc(stops), listStopsRpc(stops)];
}
