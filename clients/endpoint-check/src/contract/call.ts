/** What Tether sends to an endpoint, in the words of no transport. */
import { randomBytes } from 'node:crypto';

export interface Call {
  /** The idempotency key, 32 hex digits. */
  readonly requestId: string;
  readonly tool: string;
  /** A JSON object as RFC 8785 text. */
  readonly args: string;
  readonly tenant: { readonly id: string; readonly scope: string; readonly userId: string };
  readonly mode: 'read' | 'execute' | 'probe';
  readonly attempt: number;
  readonly deadline: Date;
  /** Sent with members that are in no document yet, as a later Tether may. */
  readonly fromTheFuture?: boolean;
}

/** The key of an action that is staged now: its UUIDv7 as 32 hex digits, as Tether makes them. An endpoint may read the time. */
export function newKey(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex');
}

/** The action's id: the key as UUID. A read has none. */
export function actionIdOf({ requestId, mode }: Call): string {
  return mode === 'read' ? '' : requestId.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
