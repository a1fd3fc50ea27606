import type { AuditVerbs } from '../../lifecycle/audit/audit-verbs.ts';
import type { CredentialVerbs } from '../../lifecycle/credentials/credential-verbs.ts';
import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import type { StopVerbs } from '../../lifecycle/stops/stop-verbs.ts';
import type { WebhookVerbs } from '../../lifecycle/webhooks/webhook-verbs.ts';
import { amendRpc } from './amend.ts';
import { callRpc } from './call.ts';
import { confirmRpc } from './confirm.ts';
import { confirmPlanRpc } from './confirm-plan.ts';
import { createCredentialRpcs } from './credential-rpcs.ts';
import { getRpc } from './get.ts';
import { listRpc } from './list.ts';
import { listAdminEventsRpc } from './list-admin-events.ts';
import { listEventsRpc } from './list-events.ts';
import { listToolsRpc } from './list-tools.ts';
import { probeNowRpc } from './probe-now.ts';
import { recheckRpc } from './recheck.ts';
import { rejectRpc } from './reject.ts';
import { replayRpc } from './replay.ts';
import { resolveRpc } from './resolve.ts';
import type { Rpc } from './rpc.ts';
import { stageRpc } from './stage.ts';
import { createStopRpcs } from './stop-rpcs.ts';
import { watchRpc } from './watch.ts';
import { createWebhookRpcs } from './webhook-rpcs.ts';

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

/** What stands behind the RPCs. */
export interface Verbs {
  readonly lifecycle: Lifecycle;
  readonly credentials: CredentialVerbs;
  readonly stops: StopVerbs;
  readonly audit: AuditVerbs;
  readonly webhooks: WebhookVerbs;
}

/** Everything that the doors serve. */
export function createRpcs({ lifecycle, credentials, stops, audit, webhooks }: Verbs): readonly Rpc[] {
  return [
    ...makers.map((make): Rpc => make(lifecycle)),
    ...createCredentialRpcs(credentials),
    ...createStopRpcs(stops),
    listAdminEventsRpc(audit),
    ...createWebhookRpcs(webhooks),
  ];
}
