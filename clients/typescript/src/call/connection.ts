import { type Client, createClient, type Transport } from '@connectrpc/connect';
import { ActionService } from '@tether/proto/clients/tether/v1/action_service_pb.ts';
import { AuditService } from '@tether/proto/clients/tether/v1/audit_service_pb.ts';
import { CredentialService } from '@tether/proto/clients/tether/v1/credential_service_pb.ts';
import { StopService } from '@tether/proto/clients/tether/v1/stop_service_pb.ts';
import { ToolService } from '@tether/proto/clients/tether/v1/tool_service_pb.ts';
import { WebhookService } from '@tether/proto/clients/tether/v1/webhook_service_pb.ts';
import type { RetryOptions } from './call-options.ts';
import type { Pace } from './repeat.ts';

/** An API key, or what knows one: it is asked before every request, repeats too, so that a key can be renewed. */
export type Key = string | (() => string | Promise<string>);

/** What the verbs speak through. */
export interface Connection {
  readonly actions: Client<typeof ActionService>;
  readonly tools: Client<typeof ToolService>;
  readonly credentials: Client<typeof CredentialService>;
  readonly stops: Client<typeof StopService>;
  readonly webhooks: Client<typeof WebhookService>;
  readonly audit: Client<typeof AuditService>;
  /** Milliseconds for a whole call, where the call does not say. */
  readonly timeoutMs: number;
  readonly pace: Pace;
  /** Milliseconds that one try waits; undefined where each verb has its own. */
  readonly tryTimeoutMs: number | undefined;
  /** The headers of the next request. Rejects with whatever the key's function does. */
  headers(): Promise<Headers>;
}

export interface ConnectionOptions {
  readonly transport: Transport;
  readonly key: Key | undefined;
  readonly timeoutMs: number | undefined;
  readonly retry: RetryOptions | undefined;
}

export function connect({ transport, key, timeoutMs = 120_000, retry = {} }: ConnectionOptions): Connection {
  const { repeats = 4, baseDelayMs = 200, maxDelayMs = 5_000, tryTimeoutMs } = retry;
  return {
    actions: createClient(ActionService, transport),
    tools: createClient(ToolService, transport),
    credentials: createClient(CredentialService, transport),
    stops: createClient(StopService, transport),
    webhooks: createClient(WebhookService, transport),
    audit: createClient(AuditService, transport),
    timeoutMs,
    pace: { repeats, baseDelayMs, maxDelayMs },
    tryTimeoutMs,
    async headers() {
      const value = typeof key === 'function' ? await key() : key;
      return new Headers(value === undefined ? {} : { authorization: `Bearer ${value}` });
    },
  };
}
