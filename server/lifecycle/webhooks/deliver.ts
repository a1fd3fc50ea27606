import type { Clock, Log } from '../ports/process.ts';
import type { Delivery, Messenger, Outbox, WebhookCatalog, WebhookPlace } from '../ports/webhooks.ts';

export interface DeliverPorts {
  readonly outbox: Outbox;
  readonly messenger: Messenger;
  readonly webhooks: WebhookCatalog;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
}

/** As many at a time to one webhook. */
const batch = 20;

/** From this age of a run on, nothing more is taken in it: it ends when the slowest has answered, and the next begins for all alike. */
const runMs = 5_000;

/** How long whoever took a message has for it, before another replica may: longer than any attempt takes. */
const takenMs = 90_000;

const minute = 60_000;
const hour = 60 * minute;

/** Before the second attempt, the third …; after the last of them it is dead. Two days in all. */
const pauses = [
  ...[5_000, 30_000, 2 * minute, 10 * minute, 30 * minute],
  ...[hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour],
];

/**
 * Sends what is due, to each webhook beside the others, so that one that does not answer holds up nobody else for longer than one
 * attempt takes. A message whose sender dies is sent again: at least once, and the receiver tells repeats by its id. Returns how many
 * attempts were made.
 */
export async function deliverWebhooks(ports: DeliverPorts): Promise<number> {
  if (ports.webhooks.webhooks().length === 0) return 0;
  const until = ports.clock.monotonic() + runMs;
  const places = await ports.outbox.places();
  const made = await Promise.all(places.map((place) => deliverTo(ports, place, until)));
  return made.reduce((sum, each) => sum + each, 0);
}

async function deliverTo(ports: DeliverPorts, place: WebhookPlace, until: number): Promise<number> {
  for (let made = 0; ; ) {
    const due = await ports.outbox.takeDue(place, batch, takenMs);
    await Promise.all(due.map((delivery) => deliver(ports, delivery)));
    made += due.length;
    if (due.length < batch || ports.clock.monotonic() >= until) return made;
  }
}

async function deliver({ outbox, messenger, log }: DeliverPorts, delivery: Delivery): Promise<void> {
  const posted = await messenger.post(delivery);
  if (posted.kind === 'delivered') return outbox.delivered(delivery);
  const pause = posted.final ? undefined : pauses[delivery.attempts - 1];
  const { id, webhook, tenantId, actionId, attempts } = delivery;
  const facts = { delivery_id: id, webhook, tenant_id: tenantId, action_id: actionId, attempts, fault: posted.fault };
  if (pause === undefined) log.error(facts, 'a webhook message is dead: it is not sent again by itself');
  else log.warn(facts, 'a webhook message did not arrive; it is sent again');
  await outbox.failed(delivery, posted.fault, pause ?? null);
}
