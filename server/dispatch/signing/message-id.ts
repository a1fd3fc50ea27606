import { randomUUID } from 'node:crypto';
import type { Outgoing, Petition, Question } from '../transport.ts';

/*
 * The `webhook-id` of each kind of call: never the same of two calls that were sent, so that a vendor can turn away one that
 * comes a second time. It is no idempotency key: that is `request_id`, the same over all attempts of a write.
 */

/** `<request_id>-<attempt>`: an attempt is sent once. */
export function callId({ requestId, attempt }: Outgoing): string {
  return `${requestId}-${attempt}`;
}

/** `<request_id>-<attempt>-probe-<random>`: the same question is asked until it is answered. */
export function probeId({ requestId, attempt }: Question): string {
  return `${requestId}-${attempt}-probe-${random()}`;
}

/** `<action id as 32 hex digits>-authorize-<random>`: each confirm asks. */
export function petitionId({ observed: { action } }: Petition): string {
  return `${action.id.replaceAll('-', '')}-authorize-${random()}`;
}

function random(): string {
  return randomUUID().replaceAll('-', '');
}
