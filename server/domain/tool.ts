import type { Reversible, Risk } from './action.ts';
import type { ActionableError } from './error.ts';

/** Why arguments do not fit: the parts of an INVALID_ARGUMENTS error that the schema knows. */
export type ArgumentFault = Pick<ActionableError, 'message' | 'field' | 'receivedJson' | 'limitJson' | 'acceptedJson'>;

/** What an expression says of an answer; a fault is one that could not be evaluated to true or false. */
export type Judgement =
  | { readonly kind: 'true' }
  | { readonly kind: 'false' }
  | { readonly kind: 'fault'; readonly message: string };

/** A declared expression (CEL) over the write's `args` and the read's `result`. */
export interface Expectation {
  /** As it is written in the catalog. */
  readonly text: string;
  readonly judge: (scope: { readonly args: unknown; readonly result: unknown }) => Judgement;
}

/** A read that is called with arguments taken from the write's. */
export interface Check {
  /** The read's name. */
  readonly read: string;
  /** The read's argument names, each with the JSON Pointer of its value in the write's arguments. */
  readonly arguments: Readonly<Record<string, string>>;
  readonly expect: Expectation | null;
}

/** What must hold when it is staged, and must not have changed when it is confirmed. */
export interface Precondition extends Check {
  /** JSON Pointers into the read's answer; null compares the whole answer. */
  readonly fields: readonly string[] | null;
}

/** A tool as the catalog declares it now. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Name of the endpoint that answers it. */
  readonly endpoint: string;
  readonly isWrite: boolean;
  /** JSON Schema, draft 2020-12. */
  readonly input: unknown;
  /** The first fault of the arguments, or undefined when they fit. */
  readonly validate: (args: unknown) => ArgumentFault | undefined;
  /** Template with `{argument}` and `{/json/pointer}` places; null for the default summary. */
  readonly summary: string | null;
  readonly risk: Risk;
  readonly reversible: Reversible | null;
  /** How long a staged write may wait, seconds. */
  readonly ttlSeconds: number;
  /** Per attempt, seconds: the endpoint's, or the default. */
  readonly timeoutSeconds: number;
  /** What the write is worth: where that stands in the arguments, and from where on it must be acknowledged. */
  readonly value: { readonly pointer: string; readonly threshold: number; readonly unit: string } | null;
  /** Whoever confirms must be neither who proposed it nor who amended it. */
  readonly fourEyes: boolean;
  readonly precondition: Precondition | null;
  /** The read that shows that the write happened; its expectation is declared. */
  readonly verify: (Check & { readonly expect: Expectation }) | null;
  /** The argument fields that make two proposals the same wish, as JSON Pointers, and how long it is held after a settlement. */
  readonly intent: { readonly fields: readonly string[]; readonly windowMs: number } | null;
}
