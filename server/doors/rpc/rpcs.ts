import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { amendRpc } from './amend.ts';
import { callRpc } from './call.ts';
import { confirmRpc } from './confirm.ts';
import { confirmPlanRpc } from './confirm-plan.ts';
import { getRpc } from './get.ts';
import { listRpc } from './list.ts';
import { listEventsRpc } from './list-events.ts';
import { listToolsRpc } from './list-tools.ts';
import { probeNowRpc } from './probe-now.ts';
import { recheckRpc } from './recheck.ts';
import { rejectRpc } from './reject.ts';
import { replayRpc } from './replay.ts';
import { resolveRpc } from './resolve.ts';
import type { Rpc } from './rpc.ts';
import { stageRpc } from './stage.ts';
import { watchRpc } from './watch.ts';

const makers = [
  stageRpc,
  confirmRpc,
  getRpc,
  replayRpc,
  listRpc,
  watchRpc,
  confirmPlanRpc,
  rejectRpc,
  amendRpc,
  resolveRpc,
  probeNowRpc,
  recheckRpc,
  listEventsRpc,
  listToolsRpc,
  callRpc,
];

/** Everything that the doors serve. */
export function createRpcs(lifecycle: Lifecycle): readonly Rpc[] {
  return makers.map((make): Rpc => make(lifecycle));
}
