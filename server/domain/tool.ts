import type { Reversible, Risk } from './action.ts';
import type { ActionableError } from './error.ts';

/** Why arguments do not fit: the parts of an INVALID_ARGUMENTS error that the schema knows. */
export type ArgumentFault = Pick<ActionableError, 'message' | 'field' | 'receivedJson' | 'limitJson' | 'acceptedJson'>;

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
}
