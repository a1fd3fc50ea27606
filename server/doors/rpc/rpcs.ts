import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { confirmRpc } from './confirm.ts';
import { getRpc } from './get.ts';
import { replayRpc } from './replay.ts';
import type { Rpc } from './rpc.ts';
import { stageRpc } from './stage.ts';

/** Everything that the doors serve. */
export function createRpcs(lifecycle: Lifecycle): readonly Rpc[] {
  return [stageRpc(lifecycle), confirmRpc(lifecycle), getRpc(lifecycle), replayRpc(lifecycle)];
}
