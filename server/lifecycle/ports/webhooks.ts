/** Telling people by webhooks. Declared by catalog, kept by store, sent by dispatch. */
import type { ActionId, Observed } from '../../domain/action.ts';
import type { DeliveryState, Webhook, WebhookTopic } from '../../domain/webhook.ts';
import type { Position } from './events.ts';

/** The webhooks as they are declared now. */
export interface WebhookCatalog {
  webhooks(): readonly Webhook[];
}

/** A message to one webhook, before it is kept. */
export interface Message {
  readonly actionId: ActionId;
  /** Of the action, after the transition that is told of. */
  readonly version: number;
  readonly topic: WebhookTopic;
  /** JSON text, sent as it is. */
  readonly body: string;
}

/** A message that is kept until it has arrived, and for a while after. */
export interface Delivery extends Message {
  /** UUID; the same over all attempts, and told to the receiver, who tells repeats by it. */
  readonly id: string;
  readonly tenantId: string;
  readonly webhook: string;
  readonly state: DeliveryState;
  /** Attempts that were begun. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** Null unless it is due. */
  readonly nextAt: Date | null;
  /** Why the last attempt failed, in our own words; empty when none did. */
  readonly fault: string;
}

/** Which webhook. */
export type WebhookPlace = Pick<Webhook, 'tenantId' | 'name'>;

/** Which webhook, and of which scopes it is told. */
export type WebhookScopes = Pick<Webhook, 'tenantId' | 'name' | 'scopes'>;

/**
 * What is to be told. The trail itself is the queue: a transition's event is written in its transaction, and is read from there
 * below the oldest that is running, so that none is lost and no transition waits for any of this.
 */
export interface Outbox {
  /** How far the trail has been read for this webhook; the first time, its end, so that nobody is told of the past. */
  position(webhook: WebhookPlace): Promise<Position>;
  /**
   * Keeps the messages and moves on, in one transaction; false when another replica has moved on from there. A message that
   * is kept already is kept once.
   */
  enqueue(webhook: WebhookPlace, from: Position, to: Position, messages: readonly Message[]): Promise<boolean>;
  /** PENDING actions of its scopes that expire within so many ms, and of which the webhook has not been told as they are now. */
  expiring(webhook: WebhookScopes, withinMs: number, limit: number): Promise<Observed[]>;
  /** Keeps messages beside the trail. One that is kept already is kept once. */
  add(webhook: WebhookPlace, messages: readonly Message[]): Promise<void>;
  /** The webhooks, of all tenants, for which something is due, declared or not. */
  places(): Promise<WebhookPlace[]>;
  /** Takes what is due for one of them, by moving its time away and counting the attempt: of several replicas one gets each. */
  takeDue(webhook: WebhookPlace, limit: number, againInMs: number): Promise<Delivery[]>;
  delivered(delivery: Delivery): Promise<void>;
  /** It did not arrive; due again in so many ms, or null: never by itself. */
  failed(delivery: Delivery, fault: string, againInMs: number | null): Promise<void>;
  /** A page, newest first. */
  list(query: DeliveryQuery): Promise<{ readonly deliveries: readonly Delivery[]; readonly more: boolean }>;
  /** Makes a dead one due now, with its attempts counted anew; undefined when there is none. */
  redeliver(tenantId: string, id: string): Promise<Delivery | undefined>;
  /** Deletes what arrived, or died, longer ago; returns how many. */
  prune(olderThan: { readonly deliveredMs: number; readonly deadMs: number; readonly limit: number }): Promise<number>;
}

export interface DeliveryQuery {
  readonly tenantId: string;
  /** Empty: all. */
  readonly states: readonly DeliveryState[];
  readonly limit: number;
  /** The id of the last one that was told; null for the first page. */
  readonly after: string | null;
}

/** What became of one attempt. */
export type Posted =
  | { readonly kind: 'delivered' }
  /** `final`: the receiver wants no more of it, or nobody is declared. */
  | { readonly kind: 'failed'; readonly fault: string; readonly final: boolean };

/** Sends messages, signed; one attempt. Never throws for what a receiver or network does. */
export interface Messenger {
  post(delivery: Delivery): Promise<Posted>;
}
