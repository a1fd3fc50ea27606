import type { CallOptions as RpcOptions } from '@connectrpc/connect';
import type { ConfirmPlanResponse } from '@tether/proto/clients/tether/v1/action_service_pb.ts';
import type { CallOptions } from '../call/call-options.ts';
import type { Connection } from '../call/connection.ts';
import { createTries } from '../call/tries.ts';
import { type ActionableError, type Alternative, TetherError } from '../tether-error.ts';
import { errorFromWire } from '../wire/error.ts';
import { type Confirmed, type ConfirmInput, type ConfirmRequestInit, confirmedFromWire, decision } from './confirm.ts';

export interface ConfirmPlanInput {
  /** What a person decided, in the order in which it is to run: 1 to 100 entries, each for its own action. */
  readonly entries: readonly ConfirmInput[];
}

/** What came of one entry. */
export type PlanVerdict = {
  /** Which entry, from 0. */
  readonly index: number;
  readonly actionId: string;
} & (
  | /** Answered as confirm answers; look at its status. */ {
      readonly kind: 'confirmed';
      readonly confirmed: Confirmed;
    }
  | /** Refused as confirm refuses. */ { readonly kind: 'refused'; readonly error: ActionableError }
  | /** Nothing about it changed, since an entry before it did not succeed. */ {
      readonly kind: 'not-run';
      readonly reason: string;
    }
);

const findOut: readonly Alternative[] = [
  { action: 'get', description: 'Read what became of each entry without a verdict.' },
];

/**
 * Yields a verdict per entry, in order. When the connection breaks, what has no verdict yet is confirmed again with the same keys
 * and the attempts that were seen: what has run by then answers from the record.
 */
export async function* confirmPlan(
  connection: Connection,
  { entries }: ConfirmPlanInput,
  options: CallOptions = {},
): AsyncGenerator<PlanVerdict, void, undefined> {
  const requests = entries.map(decision);
  const { timeoutMs = connection.timeoutMs * requests.length } = options;
  const policy = { repeat: 'confirm', tryTimeoutMs: Infinity, findOut } as const;
  const tries = createTries(connection, policy, { ...options, timeoutMs });
  let told = 0;
  for (;;) {
    const rpc = await tries.begin();
    try {
      for await (const verdict of verdicts(connection, requests, told, rpc)) {
        if (tries.lostOne() && verdict.kind === 'refused' && verdict.error.code === 'CONFIRM_IN_FLIGHT')
          throw new TetherError(verdict.error, { status: 'ABORTED', answered: true });
        yield verdict;
        told += 1;
        tries.progressed();
      }
      if (told >= requests.length) return;
      throw new Error('the stream ended before every entry had its verdict');
    } catch (thrown) {
      await tries.failed(thrown);
    }
  }
}

/** The verdicts of one stream over the entries from `first` on. */
async function* verdicts(
  { actions }: Connection,
  requests: readonly ConfirmRequestInit[],
  first: number,
  rpc: RpcOptions,
): AsyncGenerator<PlanVerdict, void, undefined> {
  for await (const response of actions.confirmPlan({ entries: requests.slice(first) }, rpc)) {
    yield verdictFromWire(response, first);
  }
}

function verdictFromWire({ index, actionId, verdict }: ConfirmPlanResponse, first: number): PlanVerdict {
  const which = { index: first + index, actionId };
  switch (verdict.case) {
    case 'confirmed':
      return { ...which, kind: 'confirmed', confirmed: confirmedFromWire(verdict.value) };
    case 'error':
      return { ...which, kind: 'refused', error: errorFromWire(verdict.value) };
    case 'notRun':
      return { ...which, kind: 'not-run', reason: verdict.value.reason };
    case undefined:
      throw new TypeError('a verdict that this client does not know');
  }
}
