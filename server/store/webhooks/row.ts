import type { DeliveryState, WebhookTopic } from '../../domain/webhook.ts';
import type { Delivery } from '../../lifecycle/ports/webhooks.ts';
import { idOf } from '../actions/observed.ts';

/** The columns of a delivery, of a table or query that is called `d`. */
export const deliveryColumns = `d.id, d.tenant_id, d.webhook, d.topic, d.action_id, d.version, d.body, d.state, d.attempts, d.next_at,
  d.fault, d.created_at`;

export interface DeliveryRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly webhook: string;
  readonly topic: WebhookTopic;
  readonly action_id: string;
  readonly version: number;
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly next_at: Date | null;
  readonly fault: string;
  readonly created_at: Date;
}

export function deliveryOf(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    webhook: row.webhook,
    topic: row.topic,
    actionId: idOf(row.action_id),
    version: row.version,
    body: row.body,
    state: row.state,
    attempts: row.attempts,
    createdAt: row.created_at,
    nextAt: row.next_at,
    fault: row.fault,
  };
}
