import type { Action, Effect, Observed, State } from './action.ts';
import { isTerminal, needsAttention } from './action.ts';
import { shown } from './preview.ts';

/** What people can be told of by a webhook. */
export const webhookTopics = ['pending', 'needs_attention', 'settled', 'expiring_soon'] as const;
export type WebhookTopic = (typeof webhookTopics)[number];

/** Where a message stands: to be sent, arrived, or not sent again by itself. */
export const deliveryStates = ['DUE', 'DELIVERED', 'DEAD'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Whom to tell of what, as the catalog declares it now. */
export interface Webhook {
  readonly name: string;
  readonly tenantId: string;
  readonly topics: readonly WebhookTopic[];
  /** Only of actions in these scopes; null for all. */
  readonly scopes: readonly string[] | null;
  /** How long before its expiry an action counts as expiring soon, milliseconds. */
  readonly expiringSoonMs: number;
}

/** A transition, as the trail has it. */
interface Told {
  readonly version: number;
  readonly type: string;
  readonly from: State | null;
  readonly to: State;
  readonly effect: Effect;
  readonly at: Date;
}

/** The topics of a transition of the action, which may have moved on since. */
export function topicsOf(event: Told, action: Action): WebhookTopic[] {
  const { from, to } = event;
  const topics: WebhookTopic[] = [];
  if (to === 'PENDING' && from !== 'PENDING') topics.push('pending');
  if (isTerminal(to) && (from === null || !isTerminal(from))) topics.push('settled');
  if (leavesDoubt(event, action)) topics.push('needs_attention');
  return topics;
}

/** What the event does not say by itself is read off the action, as long as nothing has happened since. */
function leavesDoubt({ version, to, effect }: Told, action: Action): boolean {
  if (version === action.version) return needsAttention(action);
  if (to === 'EXECUTING') return false;
  return to === 'INDETERMINATE' || effect === 'UNKNOWN' || (effect === 'APPLIED' && to !== 'SUCCEEDED');
}

/** The body of a message: what happened and to what, never the arguments or the result, which are read with Get. */
export function webhookBody(topic: WebhookTopic, event: Told, { action }: Pick<Observed, 'action'>): string {
  return JSON.stringify({
    type: `action.${topic}`,
    timestamp: event.at.toISOString(),
    data: {
      action_id: action.id,
      tenant_id: action.tenantId,
      scope: action.scope,
      user_id: action.userId,
      plan_id: action.planId,
      tool: action.tool,
      summary: shown(action.summary),
      risk: action.risk,
      preview_digest: action.previewDigest,
      state: event.to,
      effect: event.effect,
      version: event.version,
      event: event.type,
      created_at: action.createdAt.toISOString(),
      expires_at: action.expiresAt.toISOString(),
    },
  });
}
