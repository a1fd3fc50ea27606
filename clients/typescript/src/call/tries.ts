import type { CallOptions as RpcOptions } from '@connectrpc/connect';
import { type Alternative, TetherError } from '../tether-error.ts';
import type { CallOptions } from './call-options.ts';
import type { Connection } from './connection.ts';
import { delay } from './delay.ts';
import { canceled, failureOf, type Stakes } from './failure.ts';
import { pauseBeforeRepeat, type Repeat, sortOf } from './repeat.ts';

/** How a call may be made again, and how whoever lost its answer finds out. */
export interface Policy {
  readonly repeat: Repeat;
  readonly findOut?: readonly Alternative[];
  /** Milliseconds that one try waits, unless the client's options say otherwise. 30,000 by default; Infinity for a stream. */
  readonly tryTimeoutMs?: number;
}

/** The tries of one call, within its time. */
export interface Tries {
  /** What to send the next try with. Rejects when the caller has gone. */
  begin(): Promise<RpcOptions>;
  /** That the try failed. Resolves when it is time for another; rejects with what to tell the caller when there is none. */
  failed(thrown: unknown): Promise<void>;
  /** That an answer came and more are expected: what failed before is over. */
  progressed(): void;
  /** Whether an answer was lost that the next one has to make up for. */
  lostOne(): boolean;
}

/**
 * When an answer was lost on the way, the effect of the call is UNKNOWN, whatever the last try was told of itself: unless that was
 * the answer.
 */
export function createTries(connection: Connection, policy: Policy, options: CallOptions = {}): Tries {
  const { signal, timeoutMs = connection.timeoutMs } = options;
  const { repeat, findOut = [] } = policy;
  const stakes: Stakes = { reads: repeat === 'read', findOut };
  // What is made only once has the whole time for it.
  const { tryTimeoutMs = repeat === 'never' ? Infinity : 30_000 } = policy;
  const tryMs = tryTimeoutMs === Infinity ? Infinity : (connection.tryTimeoutMs ?? tryTimeoutMs);
  const endsAt = performance.now() + timeoutMs;
  let lost: TetherError | undefined;
  let tries = 0;
  let waits = 0;
  return {
    async begin() {
      if (signal?.aborted) throw canceled(signal, lost !== undefined, stakes);
      tries += 1;
      const headers = await connection.headers().catch((thrown: unknown) => Promise.reject(lost ?? thrown));
      const left = endsAt - performance.now();
      return { headers, signal, timeoutMs: wireTimeout(Math.min(left, tryMs)) };
    },
    async failed(thrown) {
      if (signal?.aborted) throw canceled(signal, true, stakes);
      const error = failureOf(thrown, stakes);
      const sort = sortOf(error);
      if (sort === 'lost') lost = error;
      if (sort === 'in-flight') waits += 1;
      const standing = { repeat, tries, waits, lost: lost !== undefined };
      const pause = pauseBeforeRepeat(error, standing, connection.pace, Math.random());
      if (pause === undefined || performance.now() + pause >= endsAt)
        throw sort === 'final' ? afterLoss(error, lost, findOut) : (lost ?? error);
      await delay(pause, signal);
    },
    progressed() {
      lost = undefined;
      tries = 1;
      waits = 0;
    },
    lostOne: () => lost !== undefined,
  };
}

/** An answer that this try left nothing behind says nothing of the one before, which was lost. */
function afterLoss(error: TetherError, lost: TetherError | undefined, findOut: readonly Alternative[]): TetherError {
  if (lost === undefined || error.effect !== 'NONE') return error;
  const message = `${error.message} But it was sent before, and that answer was lost: read with get what came of it.`;
  const alternatives = [...findOut, ...error.alternatives];
  return new TetherError({ ...error, message, effect: 'UNKNOWN', alternatives }, error, { cause: error });
}

/** Whole milliseconds, as the protocols want them; undefined, so none, for more than a timer can count. */
function wireTimeout(ms: number): number | undefined {
  return ms < 2 ** 31 ? Math.max(1, Math.floor(ms)) : undefined;
}
