import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import { AuditService } from '@tether/proto/tether/v1/audit_service_pb.ts';
import { CredentialService } from '@tether/proto/tether/v1/credential_service_pb.ts';
import { StopService } from '@tether/proto/tether/v1/stop_service_pb.ts';
import { ToolService } from '@tether/proto/tether/v1/tool_service_pb.ts';
import { WebhookService } from '@tether/proto/tether/v1/webhook_service_pb.ts';
import type { Route } from './route.ts';

const actions = ActionService.method;
const tools = ToolService.method;
const credentials = CredentialService.method;
const audit = AuditService.method;
const stops = StopService.method;
const webhooks = WebhookService.method;

/** What is done to one action, by its id. */
const ofAction = (verb: string) => ({
  verb: 'POST' as const,
  path: `/v1/actions/{id}/${verb}`,
  pathField: 'action_id',
  answer: 'message' as const,
});

/** What is done to one credential, by its id. */
const ofCredential = (verb: string) => ({
  verb: 'POST' as const,
  path: `/v1/credentials/{id}/${verb}`,
  pathField: 'credential_id',
  answer: 'message' as const,
});

/** Looked up by its id. The other keys have a path of their own, so that each path has one kind of answer. */
const byId = { verb: 'GET', pathField: 'action_id', without: ['idempotency_key', 'request_id'] } as const;
const byKey = { verb: 'GET', without: ['action_id'] } as const;

/** The JSON door, whole. The OpenAPI document is made from this table. */
export const routes: readonly Route[] = [
  { verb: 'POST', path: '/v1/actions', method: actions.stage, keyField: 'request_id', answer: 'message' },
  { verb: 'GET', path: '/v1/actions', method: actions.list, answer: 'message' },
  { ...byKey, path: '/v1/actions/lookup', method: actions.get, answer: 'message' },
  { ...byKey, path: '/v1/actions/lookup/result', method: actions.replay, answer: 'message' },
  { verb: 'GET', path: '/v1/actions/watch', method: actions.watch, answer: 'stream' },
  { ...byId, path: '/v1/actions/{id}', method: actions.get, answer: 'message' },
  { ...byId, path: '/v1/actions/{id}/result', method: actions.replay, answer: 'message' },
  {
    verb: 'GET',
    path: '/v1/actions/{id}/events',
    method: actions.listEvents,
    pathField: 'action_id',
    answer: 'message',
  },
  { ...ofAction('confirm'), method: actions.confirm, keyField: 'idempotency_key', answer: 'verdict' },
  { ...ofAction('reject'), method: actions.reject },
  { ...ofAction('amend'), method: actions.amend, keyField: 'request_id' },
  { ...ofAction('resolve'), method: actions.resolve },
  { ...ofAction('probe'), method: actions.probeNow },
  { ...ofAction('recheck'), method: actions.recheck },
  { verb: 'POST', path: '/v1/plans/confirm', method: actions.confirmPlan, answer: 'verdicts' },
  { verb: 'GET', path: '/v1/events', method: actions.listEvents, without: ['action_id'], answer: 'message' },
  { verb: 'GET', path: '/v1/admin-events', method: audit.listAdminEvents, answer: 'message' },
  { verb: 'GET', path: '/v1/tools', method: tools.listTools, answer: 'message' },
  {
    verb: 'POST',
    path: '/v1/tools/{name}/call',
    method: tools.call,
    pathField: 'tool',
    keyField: 'request_id',
    answer: 'message',
  },
  { verb: 'POST', path: '/v1/credentials', method: credentials.create, answer: 'message' },
  { verb: 'GET', path: '/v1/credentials', method: credentials.list, answer: 'message' },
  { ...ofCredential('rotate'), method: credentials.rotate },
  { ...ofCredential('revoke'), method: credentials.revoke },
  { verb: 'POST', path: '/v1/stops', method: stops.stop, answer: 'message' },
  { verb: 'GET', path: '/v1/stops', method: stops.listStops, answer: 'message' },
  { verb: 'GET', path: '/v1/webhooks/deliveries', method: webhooks.listDeliveries, answer: 'message' },
  {
    verb: 'POST',
    path: '/v1/webhooks/deliveries/{id}/redeliver',
    method: webhooks.redeliver,
    pathField: 'delivery_id',
    answer: 'message',
  },
  { verb: 'POST', path: '/v1/stops/resume', method: stops.resume, answer: 'message' },
];
