import { CallError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type { DeliveryState } from '../../domain/webhook.ts';
import { invalidCursor } from '../list.ts';
import { wholeTenantOperator } from '../operator.ts';
import type { Delivery, Outbox } from '../ports/webhooks.ts';

const usualPage = 50;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What an operator sees of the messages to the tenant's webhooks, and can do about them. Each throws CallError. */
export interface WebhookVerbs {
  /** `pageSize` 0: the usual; `cursor` empty: the first page; `states` empty: all. */
  listDeliveries(
    principal: Principal,
    input: { readonly states: readonly DeliveryState[]; readonly pageSize: number; readonly cursor: string },
  ): Promise<{ readonly deliveries: readonly Delivery[]; readonly nextCursor: string }>;
  /** Sends a dead message again; `deliveryId`: UUID in lower case. */
  redeliver(principal: Principal, deliveryId: string): Promise<Delivery>;
}

export function createWebhookVerbs(outbox: Outbox): WebhookVerbs {
  return {
    async listDeliveries(principal, { states, pageSize, cursor }) {
      wholeTenantOperator(principal, 'Deliveries are seen');
      if (cursor !== '' && !uuid.test(cursor)) throw invalidCursor(cursor);
      const { deliveries, more } = await outbox.list({
        tenantId: principal.tenantId,
        states,
        limit: pageSize || usualPage,
        after: cursor === '' ? null : cursor,
      });
      const last = deliveries.at(-1);
      return { deliveries, nextCursor: more && last !== undefined ? last.id : '' };
    },
    async redeliver(principal, deliveryId) {
      wholeTenantOperator(principal, 'Messages are sent again');
      const due = await outbox.redeliver(principal.tenantId, deliveryId);
      if (due !== undefined) return due;
      throw new CallError('DELIVERY_NOT_FOUND', {
        message: 'This tenant has no dead message with this id; it may have been sent again, or be too old.',
        field: 'delivery_id',
        receivedJson: JSON.stringify(deliveryId),
        alternatives: [{ action: 'list_deliveries', description: 'List the dead ones.' }],
      });
    },
  };
}
