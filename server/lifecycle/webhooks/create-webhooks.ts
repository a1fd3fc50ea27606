import type { Outbox } from '../ports/webhooks.ts';
import { type DeliverPorts, deliverWebhooks } from './deliver.ts';
import { type RelayPorts, relayWebhooks } from './relay.ts';
import { createWebhookVerbs, type WebhookVerbs } from './webhook-verbs.ts';

/** Telling people, over its ports: what operators can do, and what is done by itself. */
export interface Webhooks {
  readonly verbs: WebhookVerbs;
  /** Keeps what is to be told; returns how many messages. */
  relay(): Promise<number>;
  /** Sends what is due; returns how many attempts. */
  deliver(): Promise<number>;
  /** Deletes what is over; returns how many messages. */
  prune(): Promise<number>;
}

/** What has arrived is remembered for a day: as long as a repeat could be kept again. */
const deliveredMs = 86_400_000;

const batch = 1_000;

/** `deadMs`: how long a dead message is kept. */
export function createWebhooks(ports: RelayPorts & DeliverPorts & { readonly deadMs: number }): Webhooks {
  const { outbox, deadMs } = ports;
  return {
    verbs: createWebhookVerbs(outbox),
    relay: () => relayWebhooks(ports),
    deliver: () => deliverWebhooks(ports),
    prune: () => prune(outbox, deadMs),
  };
}

async function prune(outbox: Outbox, deadMs: number): Promise<number> {
  for (let total = 0; ; ) {
    const gone = await outbox.prune({ deliveredMs, deadMs, limit: batch });
    total += gone;
    if (gone < batch) return total;
  }
}
