import type { EndpointSettings } from '../domain/endpoint.ts';
import { type Carried, type DispatchTelemetry, untold } from '../lifecycle/ports/telemetry.ts';
import type { Messenger, Posted } from '../lifecycle/ports/webhooks.ts';
import { type DispatchLog, oneCall } from './one-call.ts';
import type { Failure } from './transport.ts';
import { createJsonPost } from './transports/json-post.ts';
import { withinTime } from './within-time.ts';

export interface MessengerOptions {
  /** Where the webhook of that tenant and name is, as it is declared now. */
  readonly settings: (tenantId: string, name: string) => EndpointSettings | undefined;
  /** Silent by default. */
  readonly log?: DispatchLog;
  /** Silent by default. */
  readonly telemetry?: DispatchTelemetry;
  /** Milliseconds since the epoch, for signatures; `Date.now` by default. */
  readonly now?: () => number;
}

/** `close` drops all connections. */
export type ClosableMessenger = Messenger & { close(): Promise<void> };

/** Sends messages to webhooks by Standard Webhooks: signed, redirects not followed, any 2xx is an arrival, 410 is for good. */
export function createMessenger(options: MessengerOptions): ClosableMessenger {
  const { settings: declared, log, telemetry = untold, now = Date.now } = options;
  const { post, close } = createJsonPost(() => performance.now(), now);
  return {
    async post({ id, tenantId, webhook, body, attempts }) {
      const settings = declared(tenantId, webhook);
      if (settings === undefined)
        return { kind: 'failed', fault: 'no webhook of this name is declared any more', final: true };
      const { timeoutMs, maxResponseBytes } = settings;
      const facts = { delivery_id: id, webhook, tenant_id: tenantId, attempt: attempts };
      const once = (carried: Carried) =>
        withinTime(timeoutMs, undefined, (signal) =>
          oneCall(
            () =>
              post({ id: () => id, body, maxResponseBytes }, settings, {
                timeoutMs,
                signal,
                maySend: () => true,
                carried,
              }),
            log,
            facts,
            // What an answer means is told with the delivery.
            { statuses: false },
          ),
        );
      return telemetry.dispatch(
        { endpoint: webhook, transport: 'json', mode: 'webhook', tool: '', actionId: '', attempt: attempts },
        async (carried) => postedOf(await once(carried)),
        ({ kind }) => kind,
      );
    },
    close,
  };
}

/** Nothing of what the receiver wrote is told: only its status. */
function postedOf(reply: Failure): Posted {
  switch (reply.kind) {
    case 'http':
    case 'too-large':
      return byStatus(reply.status);
    case 'unsent':
      return failed('it could not be reached');
    default:
      return failed(
        'why' in reply && reply.why === 'timeout' ? 'it did not answer in time' : 'the connection was lost',
      );
  }
}

function byStatus(status: number): Posted {
  if (status >= 200 && status <= 299) return { kind: 'delivered' };
  return { kind: 'failed', fault: `it answered HTTP ${status}`, final: status === 410 };
}

function failed(fault: string): Posted {
  return { kind: 'failed', fault, final: false };
}
