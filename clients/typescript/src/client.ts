import type { Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import type { CallOptions, RetryOptions } from './call/call-options.ts';
import { connect, type Key } from './call/connection.ts';
import type { PageInput } from './pages.ts';
import { type Amended, type AmendInput, amend } from './verbs/amend.ts';
import { type AdminEventPage, type ListAdminEventsInput, listAdminEvents } from './verbs/audit/list-admin-events.ts';
import { type Called, type CallInput, call } from './verbs/call.ts';
import { type Confirmed, type ConfirmInput, confirm } from './verbs/confirm.ts';
import { type ConfirmPlanInput, confirmPlan, type PlanVerdict } from './verbs/confirm-plan.ts';
import { type CreateCredentialInput, createCredential } from './verbs/credentials/create.ts';
import { type CredentialPage, listCredentials } from './verbs/credentials/list.ts';
import { revokeCredential } from './verbs/credentials/revoke.ts';
import { type RotateCredentialInput, rotateCredential } from './verbs/credentials/rotate.ts';
import { type Got, get, type Lookup } from './verbs/get.ts';
import { type ActionPage, type ListInput, list } from './verbs/list.ts';
import { type EventPage, type ListEventsInput, listEvents } from './verbs/list-events.ts';
import { listTools, type Tool } from './verbs/list-tools.ts';
import { type Probed, probeNow } from './verbs/probe-now.ts';
import { type Rechecked, recheck } from './verbs/recheck.ts';
import { type Decided, type RejectInput, reject } from './verbs/reject.ts';
import { type Replayed, replay } from './verbs/replay.ts';
import { type ResolveInput, resolve } from './verbs/resolve.ts';
import { type Staged, type StageInput, stage } from './verbs/stage.ts';
import { listStops } from './verbs/stops/list.ts';
import { resume } from './verbs/stops/resume.ts';
import { type StopInput, stop } from './verbs/stops/stop.ts';
import { waitForOutcome } from './verbs/wait-for-outcome.ts';
import { type WatchInput, type WatchOptions, type WatchUpdate, watch } from './verbs/watch.ts';
import { type DeliveryPage, type ListDeliveriesInput, listDeliveries } from './verbs/webhooks/list-deliveries.ts';
import { redeliver } from './verbs/webhooks/redeliver.ts';
import type { Action } from './wire/action.ts';
import type { Credential, CredentialWithKey } from './wire/credential.ts';
import type { Stop } from './wire/stop.ts';
import type { WebhookDelivery } from './wire/webhook-delivery.ts';

export type ClientOptions = {
  /** The key that is sent with every request; left out when the transport sends one of its own. */
  readonly key?: Key;
  /** Milliseconds for a whole call, repeats and pauses included, where the call does not say. 120,000 by default. */
  readonly timeoutMs?: number;
  readonly retry?: RetryOptions;
} & (
  | {
      /** Where Tether's HTTP door is: `https://tether.example.com`. Spoken to by Connect over `fetch`, on Node and in browsers. */
      readonly url: string;
      readonly transport?: undefined;
    }
  | {
      /** Another way there: gRPC on Node (`@tether/client/node`), gRPC-Web, or any transport of Connect's. */
      readonly transport: Transport;
      readonly url?: undefined;
    }
);

/**
 * What can be asked of Tether. Every method rejects with a TetherError, and takes an `AbortSignal` and a time. A recorded outcome,
 * good or bad, resolves. Reads are repeated by themselves, as are proposals (with a request id) and confirms (with their key and
 * the attempts that were seen); nothing else is.
 */
export interface TetherClient {
  /** The tools that can be called. Roles: agent, approver. */
  listTools(options?: CallOptions): Promise<readonly Tool[]>;
  /** One tool call of a model: a read runs, a write is staged and runs nothing. Role: agent. */
  call(input: CallInput, options?: CallOptions): Promise<Called>;
  /** Records a proposed write; an identical proposal returns the same action. Role: agent. */
  stage(input: StageInput, options?: CallOptions): Promise<Staged>;
  /** Runs a staged write, at most once per confirmation; a person decided. Role: approver. */
  confirm(input: ConfirmInput, options?: CallOptions): Promise<Confirmed>;
  /** Confirms several actions one after the other, and stops at the first that does not succeed. Role: approver. */
  confirmPlan(input: ConfirmPlanInput, options?: CallOptions): AsyncIterable<PlanVerdict>;
  /** Everything that is known of an action: the read for whoever lost an answer. All roles. */
  get(input: Lookup, options?: CallOptions): Promise<Got>;
  /** The stored result of an action that succeeded, or its state; never runs anything. All roles. */
  replay(input: Lookup, options?: CallOptions): Promise<Replayed>;
  /** One page of actions, newest first; `pages(client.list, …)` reads all. All roles. */
  list(input?: ListInput, options?: CallOptions): Promise<ActionPage>;
  /** First the actions as they are, then every change; resumes by itself. All roles. */
  watch(input?: WatchInput, options?: WatchOptions): AsyncIterable<WatchUpdate>;
  /** Waits until a person decided about a staged action and it has an outcome; for as long as it takes, unless told. All roles. */
  waitForOutcome(action: Pick<Action, 'id' | 'planId'>, options?: CallOptions): Promise<Got>;
  /** Says no, with a reason that the model gets. Role: approver. */
  reject(input: RejectInput, options?: CallOptions): Promise<Decided>;
  /** Stages other arguments in an action's place. Role: approver. */
  amend(input: AmendInput, options?: CallOptions): Promise<Amended>;
  /** A person settles a doubt: it landed, or it did not. Role: approver. */
  resolve(input: ResolveInput, options?: CallOptions): Promise<Decided>;
  /** Asks the endpoint now what became of an action in doubt. Role: approver. */
  probeNow(input: { readonly actionId: string }, options?: CallOptions): Promise<Probed>;
  /** The precondition then and now, without changing anything. Role: approver. */
  recheck(input: { readonly actionId: string }, options?: CallOptions): Promise<Rechecked>;
  /** One page of the audit trail, oldest first. Roles: approver of an action, operator of the tenant too. */
  listEvents(input?: ListEventsInput, options?: CallOptions): Promise<EventPage>;
  /** The API keys of the tenant. Role: operator. */
  readonly credentials: Credentials;
  /** What is stopped in the tenant. Role: operator. */
  readonly stops: Stops;
  /** What became of the messages to the tenant's webhooks. Role: operator. */
  readonly webhooks: Webhooks;
  /** What operators did in the tenant. Role: operator. */
  readonly audit: Audit;
}

export interface Credentials {
  /** Makes a credential, and tells its key this once. Not repeated: if the answer is lost, list, and revoke it. */
  create(input: CreateCredentialInput, options?: CallOptions): Promise<CredentialWithKey>;
  /** One page, newest first. */
  list(input?: PageInput, options?: CallOptions): Promise<CredentialPage>;
  /** Replaces the key of a credential; told this once. */
  rotate(input: RotateCredentialInput, options?: CallOptions): Promise<CredentialWithKey>;
  /** Ends a credential for good. */
  revoke(input: { readonly credentialId: string }, options?: CallOptions): Promise<Credential>;
}

export interface Stops {
  /** Stops a tool, an endpoint or the whole tenant, on every replica. */
  stop(input: StopInput, options?: CallOptions): Promise<Stop>;
  /** Takes a stop back. */
  resume(input: StopInput, options?: CallOptions): Promise<Stop>;
  /** All that is stopped now, newest first. */
  listStops(options?: CallOptions): Promise<readonly Stop[]>;
}

export interface Webhooks {
  /** One page, newest first. */
  listDeliveries(input?: ListDeliveriesInput, options?: CallOptions): Promise<DeliveryPage>;
  /** Sends a dead message again, under the same id. */
  redeliver(input: { readonly deliveryId: string }, options?: CallOptions): Promise<WebhookDelivery>;
}

export interface Audit {
  /** One page, oldest first. The trail of actions is `listEvents`. */
  listAdminEvents(input?: ListAdminEventsInput, options?: CallOptions): Promise<AdminEventPage>;
}

/** A client with one key. Holds no connection open by itself, and need not be closed. */
export function createTetherClient({ url, transport, key, timeoutMs, retry }: ClientOptions): TetherClient {
  const by = transport ?? createConnectTransport({ baseUrl: url, useBinaryFormat: true });
  const connection = connect({ transport: by, key, timeoutMs, retry });
  return {
    listTools: (options) => listTools(connection, options),
    call: (input, options) => call(connection, input, options),
    stage: (input, options) => stage(connection, input, options),
    confirm: (input, options) => confirm(connection, input, options),
    confirmPlan: (input, options) => confirmPlan(connection, input, options),
    get: (input, options) => get(connection, input, options),
    replay: (input, options) => replay(connection, input, options),
    list: (input = {}, options = {}) => list(connection, input, options),
    watch: (input = {}, options = {}) => watch(connection, input, options),
    waitForOutcome: (action, options) => waitForOutcome(connection, action, options),
    reject: (input, options) => reject(connection, input, options),
    amend: (input, options) => amend(connection, input, options),
    resolve: (input, options) => resolve(connection, input, options),
    probeNow: (input, options) => probeNow(connection, input, options),
    recheck: (input, options) => recheck(connection, input, options),
    listEvents: (input = {}, options = {}) => listEvents(connection, input, options),
    credentials: {
      create: (input, options) => createCredential(connection, input, options),
      list: (input = {}, options = {}) => listCredentials(connection, input, options),
      rotate: (input, options) => rotateCredential(connection, input, options),
      revoke: (input, options) => revokeCredential(connection, input, options),
    },
    stops: {
      stop: (input, options) => stop(connection, input, options),
      resume: (input, options) => resume(connection, input, options),
      listStops: (options) => listStops(connection, options),
    },
    webhooks: {
      listDeliveries: (input = {}, options = {}) => listDeliveries(connection, input, options),
      redeliver: (input, options) => redeliver(connection, input, options),
    },
    audit: {
      listAdminEvents: (input = {}, options = {}) => listAdminEvents(connection, input, options),
    },
  };
}
