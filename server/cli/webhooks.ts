import type { DeliveryState } from '../domain/webhook.ts';
import type { Delivery } from '../lifecycle/ports/webhooks.ts';
import { createWebhookVerbs, type WebhookVerbs } from '../lifecycle/webhooks/webhook-verbs.ts';
import { knownTenant } from './known-tenant.ts';
import { machineOperator } from './machine-operator.ts';
import type { Output } from './output.ts';
import { told } from './told.ts';
import { withStore } from './with-store.ts';

export interface WebhooksOptions {
  readonly tenant: string;
  readonly json: boolean;
}

type Principal = ReturnType<typeof machineOperator>;

/** `tether webhooks list`; resolves with the exit code: 0 done, 1 the database is away. */
export function listDeliveries(
  options: WebhooksOptions & { readonly states: readonly DeliveryState[] },
  env: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  return told(options, output, async () => {
    const deliveries = await withVerbs(options, env, async (verbs, principal) => {
      const all: Delivery[] = [];
      for (let cursor = '', last = false; !last; ) {
        const page = await verbs.listDeliveries(principal, { states: options.states, pageSize: 200, cursor });
        all.push(...page.deliveries);
        cursor = page.nextCursor;
        last = cursor === '';
      }
      return all;
    });
    const which = options.states.map((state) => ` that are ${state.toLowerCase()}`).join('');
    return {
      json: { deliveries: deliveries.map(deliveryJson) },
      text: deliveries.map(deliveryLine).join('') || `Tenant ${options.tenant} has no messages to webhooks${which}.\n`,
    };
  });
}

/** `tether webhooks redeliver`; exit codes as for {@link listDeliveries}, and 1 when there is no such dead message. */
export function redeliver(
  id: string,
  options: WebhooksOptions,
  env: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  return told(options, output, async () => {
    const delivery = await withVerbs(options, env, (verbs, principal) => verbs.redeliver(principal, id));
    return { json: { delivery: deliveryJson(delivery) }, text: `due again:\n${deliveryLine(delivery)}` };
  });
}

function withVerbs<T>(
  { tenant }: WebhooksOptions,
  env: NodeJS.ProcessEnv,
  work: (verbs: WebhookVerbs, principal: Principal) => Promise<T>,
): Promise<T> {
  return withStore(env, async (store) => {
    await knownTenant(store, tenant);
    return await work(createWebhookVerbs(store.outbox), machineOperator('webhooks', tenant));
  });
}

/** The contract's names; what is not there is null. */
function deliveryJson(delivery: Delivery): object {
  const { id, tenantId, webhook, topic, actionId, version, state, attempts, createdAt, nextAt, fault } = delivery;
  return {
    ...{ id, tenant_id: tenantId, webhook, topic, action_id: actionId, action_version: version, state, attempts },
    ...{ created_at: createdAt, next_at: nextAt, fault },
  };
}

function deliveryLine({ id, webhook, topic, actionId, state, attempts, nextAt, fault }: Delivery): string {
  const next = nextAt === null ? '' : `, next at ${nextAt.toISOString()}`;
  const why = fault === '' ? '' : `: ${fault}`;
  return `  ${id}  ${state.padEnd(9)}  ${webhook} ${topic} of ${actionId}, ${attempts} attempts${next}${why}\n`;
}
