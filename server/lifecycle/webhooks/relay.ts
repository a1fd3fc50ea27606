import type { Webhook } from '../../domain/webhook.ts';
import { topicsOf, webhookBody } from '../../domain/webhook.ts';
import { oneByOne } from '../for-each.ts';
import type { ActionStore } from '../ports/action-store.ts';
import type { ActionEvent, EventLog } from '../ports/events.ts';
import type { Message, Outbox, WebhookCatalog } from '../ports/webhooks.ts';

export interface RelayPorts {
  readonly store: ActionStore;
  readonly events: EventLog;
  readonly outbox: Outbox;
  readonly webhooks: WebhookCatalog;
}

const batch = 200;

/**
 * Reads on in the trail for each webhook, and keeps what is to be told. A crash in between repeats or loses nothing: messages and
 * position are written together. Returns how many messages were kept; rejects with the first trouble, once all others had their turn.
 */
export async function relayWebhooks(ports: RelayPorts): Promise<number> {
  let kept = 0;
  await oneByOne(ports.webhooks.webhooks(), async (webhook) => {
    kept += await relay(ports, webhook);
    if (webhook.topics.includes('expiring_soon')) kept += await tellExpiring(ports, webhook);
  });
  return kept;
}

async function relay(ports: RelayPorts, webhook: Webhook): Promise<number> {
  let kept = 0;
  for (let position = await ports.outbox.position(webhook); ; ) {
    const events = await ports.events.read({ tenantId: webhook.tenantId, after: position, limit: batch });
    const last = events.at(-1);
    if (last === undefined) return kept;
    const messages = (await Promise.all(events.map((event) => messagesOf(ports, webhook, event)))).flat();
    // Whoever was faster reads on.
    if (!(await ports.outbox.enqueue(webhook, position, last.position, messages))) return kept;
    kept += messages.length;
    if (events.length < batch) return kept;
    position = last.position;
  }
}

/** None of an action that retention has taken meanwhile. */
async function messagesOf({ store }: RelayPorts, webhook: Webhook, event: ActionEvent): Promise<Message[]> {
  const found = await store.find(webhook.tenantId, event.actionId);
  if (found === undefined || !isAbout(webhook, found.action.scope)) return [];
  return topicsOf(event, found.action)
    .filter((topic) => webhook.topics.includes(topic))
    .map((topic) => ({
      actionId: event.actionId,
      version: event.version,
      topic,
      body: webhookBody(topic, event, found),
    }));
}

async function tellExpiring({ outbox }: RelayPorts, webhook: Webhook): Promise<number> {
  const found = await outbox.expiring(webhook, webhook.expiringSoonMs, batch);
  const messages = found.map((observed): Message => {
    const { id, version, state, effect } = observed.action;
    const event = { version, type: 'EXPIRING_SOON', from: state, to: state, effect, at: observed.at };
    return { actionId: id, version, topic: 'expiring_soon', body: webhookBody('expiring_soon', event, observed) };
  });
  if (messages.length > 0) await outbox.add(webhook, messages);
  return messages.length;
}

function isAbout({ scopes }: Webhook, scope: string): boolean {
  return scopes === null || scopes.includes(scope);
}
