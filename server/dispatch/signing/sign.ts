/**
 * Signs calls by Standard Webhooks 1.0, symmetric: HMAC-SHA256 over `id.timestamp.body`. Done here and not by the package of
 * that name, which signs text only: a protobuf message is none, and what is signed must be the very bytes that are sent.
 */
import { createHmac, type KeyObject } from 'node:crypto';
import type { EndpointSettings } from '../../domain/endpoint.ts';

export interface Signed {
  /** `webhook-id`; made only if there is something to sign. Without a full stop, which separates what is signed. */
  readonly id: () => string;
  /** As it goes out; of a protobuf message its bytes, without what frames them. Text is signed as UTF-8. */
  readonly body: string | Uint8Array;
}

/** Makes the headers of a request when it goes out, connected: a signature is only good for minutes. */
export type SignAtSend = () => Readonly<Record<string, string>>;

/** Undefined for an endpoint without secrets. `wall`: milliseconds since the epoch. */
export function signAtSend(
  { signingKeys }: EndpointSettings,
  { id, body }: Signed,
  wall: () => number,
): SignAtSend | undefined {
  if (signingKeys === undefined) return undefined;
  const messageId = id();
  return () => {
    const timestamp = String(Math.floor(wall() / 1_000));
    const signatures = signingKeys.map((key) => `v1,${signature(key, messageId, timestamp, body)}`);
    return {
      'webhook-id': messageId,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    };
  };
}

function signature(key: KeyObject, id: string, timestamp: string, body: string | Uint8Array): string {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
}
