import type { Tool } from '../../domain/tool.ts';
import type { Rule } from './warning.ts';

/** An answer of a read, and what it was asked. */
export interface Sampled {
  /** JSON, as the endpoint sent it. */
  readonly text: string;
  readonly tool: Pick<Tool, 'input'>;
  readonly args: unknown;
  /** Of its endpoint. */
  readonly maxResponseBytes: number;
}

/** Something in an answer; `path` is a JSON Pointer. */
export interface Finding {
  readonly rule: Rule;
  readonly path: string;
  readonly message: string;
}

/** One value of an answer, with what stands around it. */
export interface Seen {
  readonly path: string;
  /** The name it goes by: of an element of a list, the list's. */
  readonly name: string;
  readonly value: unknown;
  /** Names in the same object; empty in a list. */
  readonly beside: readonly string[];
  readonly inList: boolean;
}
