import type { Logger } from 'pino';
import type { CallFacts, WatchedCall } from '../lifecycle/ports/telemetry.ts';
import type { Scope, Scopes } from './scopes.ts';
import type { Attributes, Tracer } from './traces/trace.ts';

/** Told of each call that has ended. */
export interface CallEnd {
  readonly facts: CallFacts;
  readonly status: string;
  readonly error: string | undefined;
  readonly seconds: number;
}

export interface WatchCallOptions {
  readonly scopes: Scopes;
  readonly log: Logger;
  readonly tracer: Tracer;
  readonly ended: (end: CallEnd) => void;
}

/** Statuses by which a server says that it failed, and not its caller. */
const failures = new Set(['UNKNOWN', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS']);

/** Follows one call from its first step to its end, which the access log tells at level debug. */
export function watchCall(facts: CallFacts, { scopes, log, tracer, ended }: WatchCallOptions): WatchedCall {
  const began = performance.now();
  const { rpc, door, requestId, incoming } = facts;
  const traced = tracer.call(rpc, incoming, () => attributesOf(facts));
  const fields: Record<string, string> = { request_id: requestId };
  if (traced.traceId !== undefined) fields.trace_id = traced.traceId;
  const scope: Scope = { fields, traced };
  let over = false;
  return {
    within: (step) => scopes.within(scope, step),
    about(actionId) {
      fields.action_id = actionId;
      traced.set('tether.action_id', actionId);
    },
    ended(status, error) {
      if (over) return;
      over = true;
      const seconds = (performance.now() - began) / 1000;
      ended({ facts, status, error, seconds });
      traced.ended(error ?? status, failures.has(status));
      if (!log.isLevelEnabled('debug')) return;
      log.debug({ ...fields, rpc, door, status, error, ms: Math.round(seconds * 1000) }, 'call ended');
    },
  };
}

function attributesOf({ rpc, door, requestId }: CallFacts): Attributes {
  const [service = '', method = ''] = rpc.split('/');
  return {
    'rpc.system': door === 'grpc' || door === 'grpc-web' ? 'grpc' : 'connect_rpc',
    'rpc.service': `tether.v1.${service}`,
    'rpc.method': method,
    'tether.door': door,
    'tether.request_id': requestId,
  };
}
