import type { Transport } from '../protocol/protocol.ts';

export interface Settings {
  readonly url: URL;
  readonly transport: Transport;
  readonly tool: string;
  /** One is a template for all writes; several are used up one by one. */
  readonly args: readonly Json[];
  readonly refusedArgs?: Json;
  readonly read?: { readonly tool: string; readonly args: Json };
  readonly count?: { readonly tool: string; readonly args: Json; readonly pointer: string };
  readonly firstNumber: number;
  /** Empty when calls are not signed; never shown. */
  readonly secrets: readonly string[];
  /** Never shown. */
  readonly bearer?: string;
  readonly probe: boolean;
  readonly tenant: { readonly id: string; readonly scope: string; readonly userId: string };
  readonly atOnce: number;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

/** Arguments of a call, as they were given. */
export type Json = Readonly<Record<string, unknown>>;

/** What was given makes no sense; the message says what, and never shows a secret. */
export class UsageError extends Error {}
