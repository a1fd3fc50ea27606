import type { EndpointTransport } from '../../server/domain/endpoint.ts';
import { answers, type EndpointAnswer, type EndpointCall } from './endpoint-answer.ts';

/** What a vendor keeps beside its writes, to answer probes from (docs/endpoint.md). */
export interface Ledger {
  /** A write has arrived and is being worked on. */
  begin(call: EndpointCall): void;
  /**
   * The end of that work, in one step with the write itself: what the vendor answers. A write that a fence shuts out is not
   * applied, and says so.
   */
  settle(call: EndpointCall, answer: EndpointAnswer): EndpointAnswer;
  /** What became of a key; "not executed" puts up the fence that makes it true for good. */
  probe(call: EndpointCall): EndpointAnswer;
}

/** `apply` is told the key of each write that is made. */
export function createLedger(transport: EndpointTransport, apply: (key: string) => void): Ledger {
  const working = new Map<string, number>();
  const results = new Map<string, string | undefined>();
  const fences = new Map<string, number>();
  return {
    begin({ requestId }) {
      working.set(requestId, (working.get(requestId) ?? 0) + 1);
    },
    settle({ requestId, attempt }, answer) {
      working.set(requestId, (working.get(requestId) ?? 1) - 1);
      if (!(answer.applied ?? answer.kind === 'result')) return answer;
      if (attempt <= (fences.get(requestId) ?? 0)) return tooLate(transport);
      if (!results.has(requestId)) results.set(requestId, answer.kind === 'result' ? answer.json : undefined);
      apply(requestId);
      return answer;
    },
    probe({ requestId, attempt }) {
      if (results.has(requestId)) return answers.probed('EXECUTED', results.get(requestId));
      if ((working.get(requestId) ?? 0) > 0) return answers.probed('IN_PROGRESS');
      fences.set(requestId, Math.max(fences.get(requestId) ?? 0, attempt));
      return answers.probed('NOT_EXECUTED');
    },
  };
}

/** Nothing was done, and nothing was wrong with it but the time. */
function tooLate(transport: EndpointTransport): EndpointAnswer {
  return transport === 'json' ? answers.http(425) : answers.status('ABORTED', 'too late');
}
