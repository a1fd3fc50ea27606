import type { Logger } from 'pino';
import type { CallFacts, WatchedCall } from '../lifecycle/ports/telemetry.ts';
import type { Scope, Scopes } from './scopes.ts';

/** Told of each call that has ended. */
export interface CallEnd {
  readonly facts: CallFacts;
  readonly status: string;
  readonly error: string | undefined;
  readonly seconds: number;
}

/** Follows one call from its first step to its end, which the access log tells at level debug. */
export function watchCall(facts: CallFacts, scopes: Scopes, log: Logger, ended: (end: CallEnd) => void): WatchedCall {
  const began = performance.now();
  const fields: Record<string, string> = { request_id: facts.requestId };
  const scope: Scope = { fields };
  let over = false;
  return {
    within: (step) => scopes.within(scope, step),
    about(actionId) {
      fields.action_id = actionId;
    },
    ended(status, error) {
      if (over) return;
      over = true;
      const seconds = (performance.now() - began) / 1000;
      ended({ facts, status, error, seconds });
      if (!log.isLevelEnabled('debug')) return;
      const { rpc, door } = facts;
      log.debug({ ...fields, rpc, door, status, error, ms: Math.round(seconds * 1000) }, 'call ended');
    },
  };
}
