/** The client for callers of Tether, on Node and in browsers. README.md begins with something that works. */
export type { CallOptions, RetryOptions } from './call/call-options.ts';
export type { Key } from './call/connection.ts';
export {
  type ClientOptions,
  type Credentials,
  createTetherClient,
  type Stops,
  type TetherClient,
  type Webhooks,
} from './client.ts';
export { JsonNumber, type JsonValue } from './json/json-number.ts';
export type { Arguments, JsonObject } from './json/json-text.ts';
export { parseJson } from './json/parse-json.ts';
export { type Page, type PageInput, pages } from './pages.ts';
export { type ActionableError, type Alternative, type Circumstances, TetherError } from './tether-error.ts';
export type { Amended, AmendInput } from './verbs/amend.ts';
export type { AdminEventPage, ListAdminEventsInput } from './verbs/audit/list-admin-events.ts';
export type { Called, CallInput, ReadCalled, WriteCalled } from './verbs/call.ts';
export type { Confirmed, ConfirmInput, Seen } from './verbs/confirm.ts';
export type { ConfirmPlanInput, PlanVerdict } from './verbs/confirm-plan.ts';
export type { CreateCredentialInput } from './verbs/credentials/create.ts';
export type { CredentialPage } from './verbs/credentials/list.ts';
export type { RotateCredentialInput } from './verbs/credentials/rotate.ts';
export type { Got, Lookup } from './verbs/get.ts';
export type { ActionFilter, ActionPage, ListInput } from './verbs/list.ts';
export type { EventPage, ListEventsInput } from './verbs/list-events.ts';
export type { Tool } from './verbs/list-tools.ts';
export type { Probed } from './verbs/probe-now.ts';
export type { Difference, Rechecked } from './verbs/recheck.ts';
export type { Decided, RejectInput } from './verbs/reject.ts';
export type { Replayed } from './verbs/replay.ts';
export type { ResolveInput } from './verbs/resolve.ts';
export type { ProposalContext, Staged, StageInput } from './verbs/stage.ts';
export type { StopInput } from './verbs/stops/stop.ts';
export type { WatchInput, WatchOptions, WatchUpdate } from './verbs/watch.ts';
export type { DeliveryPage, ListDeliveriesInput } from './verbs/webhooks/list-deliveries.ts';
export type { Action, Actor, Attempt, DeclaredValue, Verification } from './wire/action.ts';
export type { ActionEvent } from './wire/action-event.ts';
export type { AdminEvent } from './wire/admin-event.ts';
export type { Credential, CredentialWithKey } from './wire/credential.ts';
export type {
  ActionEventType,
  ActionState,
  AdminEventType,
  AttemptOutcome,
  ConfirmStatus,
  Effect,
  Meant,
  ProbeDisposition,
  Reversible,
  Risk,
  Role,
  StopKind,
  VerificationState,
  WebhookDeliveryState,
  WebhookTopic,
} from './wire/enums.ts';
export type { Stop } from './wire/stop.ts';
export type { WebhookDelivery } from './wire/webhook-delivery.ts';
