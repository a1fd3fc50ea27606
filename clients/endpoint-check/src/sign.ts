/** Signs as Tether does: Standard Webhooks 1.0, symmetric, over the bytes that are sent (docs/signing.md). */
import { createHmac } from 'node:crypto';

export interface Signing {
  readonly secrets: readonly string[];
  /** `webhook-id` */
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

export function signatureHeaders({ secrets, id, timestamp }: Signing, body: Uint8Array): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
