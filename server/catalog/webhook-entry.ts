import type { EndpointSettings } from '../domain/endpoint.ts';
import { type Webhook, webhookTopics } from '../domain/webhook.ts';
import type { WebhookEntry } from './check-form.ts';
import { secondsOf } from './duration.ts';
import type { Fault } from './fault.ts';
import type { Surroundings } from './references.ts';
import { serviceOf } from './service-entry.ts';

/** A webhook as it is declared, and how it is reached. */
export interface DeclaredWebhook extends Webhook {
  readonly settings: EndpointSettings;
}

/** A receiver answers at once and works afterwards; what it answers is not read. */
const defaults = { timeout_seconds: 10, expiring_soon: '5m', max_response_bytes: 65_536, max_concurrent: 20 };

/** An action expires within 30 days at the latest, and delivered messages are remembered for a day. */
const longestExpiringSoonSeconds = 86_400;

/** One of `webhooks`. */
export function webhookOf(
  name: string,
  entry: WebhookEntry,
  surroundings: Surroundings,
  fault: Fault,
): DeclaredWebhook {
  const expiringSoon = entry.expiring_soon ?? defaults.expiring_soon;
  if (secondsOf(expiringSoon) > longestExpiringSoonSeconds)
    fault(['expiring_soon'], `Must be at most 24h, and is ${expiringSoon}.`);
  return {
    name,
    tenantId: entry.tenant,
    topics: entry.topics ?? webhookTopics,
    scopes: entry.scopes ?? null,
    expiringSoonMs: secondsOf(expiringSoon) * 1000,
    settings: {
      ...serviceOf(name, { ...entry, transport: 'json' }, surroundings, fault),
      timeoutMs: Math.round((entry.timeout_seconds ?? defaults.timeout_seconds) * 1000),
      maxAttempts: 1,
      maxResponseBytes: defaults.max_response_bytes,
      maxConcurrent: defaults.max_concurrent,
      probe: false,
    },
  };
}
