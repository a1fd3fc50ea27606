import type { IncomingHttpHeaders } from 'node:http';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** Throws Unsigned unless the call was signed with one of the shop's secrets, at most five minutes ago. */
export type CheckSignature = (headers: IncomingHttpHeaders, body: string) => void;

/** A call that is not known to come from Tether: answered with 401. */
export class Unsigned extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Unsigned';
  }
}

/**
 * `secrets`: one `whsec_…`, or two with a space between while they are exchanged. Throws an Error that names no secret when one
 * is not of that form.
 */
export function signatureCheck(secrets: string): CheckSignature {
  const webhooks = secrets.trim().split(/\s+/).map(webhookOf);
  return (headers, body) => {
    const given = Object.fromEntries(names.map((name) => [name, String(headers[name] ?? '')]));
    let reason = '';
    for (const webhook of webhooks) {
      try {
        webhook.verify(body, given, { jsonParse: false });
        return;
      } catch (error) {
        if (!(error instanceof WebhookVerificationError)) throw error;
        reason = error.message;
      }
    }
    throw new Unsigned(`The call is not signed as it must be, with a secret that this shop knows: ${reason}.`);
  };
}

const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

function webhookOf(secret: string): Webhook {
  // The library would take the base64 without its prefix too, and any length.
  if (!/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret)) {
    throw new Error('POS_SIGNING_SECRET must be whsec_ and the base64 of 24 to 64 bytes, or two of them');
  }
  return new Webhook(secret);
}
