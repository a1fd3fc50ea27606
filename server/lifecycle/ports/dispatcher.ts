/** Calls of endpoints. Implemented by dispatch. */
import type { ActionId } from '../../domain/action.ts';
import type { Answer, ReadAnswer } from '../../domain/answer.ts';
import type { ActionableError } from '../../domain/error.ts';

/** One call of a write, ready to go out. */
export interface WriteCall {
  readonly endpoint: string;
  /** The action's id as 32 hex digits: `request_id` and `X-Tether-Idempotency-Key`. */
  readonly requestId: string;
  readonly tool: string;
  /** RFC 8785 text, embedded as it is. */
  readonly arguments: string;
  readonly tenant: { readonly id: string; readonly scope: string; readonly userId: string };
  readonly actionId: ActionId;
  readonly attempt: number;
  readonly deadline: Date;
  readonly timeoutMs: number;
  /** Asked once, connected and right before the first byte: false means too late, send nothing (rule 7). */
  readonly maySend: () => boolean;
}

/** One call of a read. */
export interface ReadCall {
  readonly endpoint: string;
  readonly tool: string;
  readonly arguments: string;
  readonly tenant: { readonly id: string; readonly scope: string; readonly userId: string };
  readonly signal?: AbortSignal;
}

/** One question about a write. */
export interface ProbeCall {
  readonly endpoint: string;
  /** The write's key: the action's id as 32 hex digits. */
  readonly requestId: string;
  readonly tool: string;
  readonly tenant: { readonly id: string; readonly scope: string; readonly userId: string };
  readonly actionId: ActionId;
  /** The newest attempt that is asked about. */
  readonly attempt: number;
  readonly signal?: AbortSignal;
}

export const probeDispositions = ['EXECUTED', 'NOT_EXECUTED', 'IN_PROGRESS', 'UNKNOWN'] as const;
export type ProbeDisposition = (typeof probeDispositions)[number];

/** What the endpoint said; UNKNOWN also when it could not be asked, or answered what cannot be read. */
export interface ProbeAnswer {
  readonly disposition: ProbeDisposition;
  /** The result of an executed write, as it was sent; null when it gave none. */
  readonly result: string | null;
  /** Why it was not executed, if it said. */
  readonly refusal: ActionableError | null;
}

/** A place among an endpoint's concurrent calls; given back once, whatever happens. */
export interface Place {
  release(): void;
}

/** How busy an endpoint is, as far as this server calls it. */
export interface EndpointLoad {
  readonly endpoint: string;
  readonly underWay: number;
  /** Who waits for a place. */
  readonly waiting: number;
}

/** Calls endpoints: one policy, three transports (DESIGN §4). Never throws for what an endpoint or network does. */
export interface Dispatcher {
  /** Waits for a place; undefined when there was none in time or the signal fired. Taken before a claim (rule 7). */
  reserve(endpoint: string, signal: AbortSignal): Promise<Place | undefined>;
  /** Sends at most once. */
  write(call: WriteCall): Promise<Answer>;
  /** Asks what became of a write; one attempt. */
  probe(call: ProbeCall): Promise<ProbeAnswer>;
  /** Up to the endpoint's `max_attempts`, 150 ms and 300 ms apart, one key for all. */
  read(call: ReadCall): Promise<ReadAnswer>;
}
