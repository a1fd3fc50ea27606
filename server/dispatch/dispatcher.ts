/**
 * Calls endpoints (DESIGN §4): one policy, three transports. A write is sent at most once and its answer is read by the
 * tables of classify-write.ts; a read is repeated where that is allowed. Settings are looked up for every call, so that a
 * reload of the catalog needs nothing here.
 */
import { randomUUID } from 'node:crypto';
import type { EndpointSettings, EndpointTransport } from '../domain/endpoint.ts';
import type { Dispatcher } from '../lifecycle/ports.ts';
import { classifyRead, type ReadOutcome, unavailable } from './classify-read.ts';
import { classifyWrite, notSent } from './classify-write.ts';
import { createPlaces } from './places.ts';
import { type Delay, realDelay, withRetries } from './read-retries.ts';
import { type Bounds, type Outgoing, type Reply, type Transport, timeIsUp } from './transport.ts';
import { createConnectTransport } from './transports/connect.ts';
import { createGrpcTransport } from './transports/grpc.ts';
import { createJsonTransport } from './transports/json.ts';

/** Where the words of drivers and networks go, under the request's id; a pino logger is one. */
export interface DispatchLog {
  warn(fields: object, message: string): void;
}

export interface DispatcherOptions {
  /** The endpoint of that name as it is declared now. */
  readonly endpoints: (name: string) => EndpointSettings | undefined;
  /** Between the attempts of a read; real time by default. */
  readonly delay?: Delay;
  /** Milliseconds since the epoch, for the deadline of a read; `Date.now` by default. */
  readonly now?: () => number;
  /** Milliseconds, never going back, for the age of connections; `performance.now` by default. */
  readonly monotonic?: () => number;
  /** Silent by default. */
  readonly log?: DispatchLog;
}

/** `close` drops all connections; writes in flight end without an answer, so it comes after the drain. */
export type ClosableDispatcher = Dispatcher & { close(): Promise<void> };

export function createDispatcher(options: DispatcherOptions): ClosableDispatcher {
  const { endpoints, delay = realDelay, now = Date.now, monotonic = () => performance.now(), log } = options;
  const places = createPlaces();
  const transports: Record<EndpointTransport, Transport> = {
    json: createJsonTransport(monotonic),
    connect: createConnectTransport(monotonic),
    grpc: createGrpcTransport(monotonic),
  };

  async function call(outgoing: Outgoing, settings: EndpointSettings, bounds: Bounds): Promise<Reply> {
    const reply = await transports[settings.transport]
      .call(outgoing, settings, bounds)
      .catch((cause: unknown): Reply => ({ kind: 'lost', why: 'connection', cause }));
    const trouble = troubleIn(reply);
    if (trouble !== undefined) {
      const { requestId, tool, attempt } = outgoing;
      const about = { request_id: requestId, endpoint: settings.name, tool, attempt, outcome: reply.kind };
      log?.warn({ ...about, ...trouble }, 'a call of an endpoint failed');
    }
    return reply;
  }

  return {
    async reserve(endpoint, signal) {
      if (endpoints(endpoint) === undefined) {
        log?.warn({ endpoint }, 'no endpoint of that name is declared');
        return undefined;
      }
      return places.take(endpoint, () => endpoints(endpoint)?.maxConcurrent ?? 0, signal);
    },

    async write(write) {
      const settings = endpoints(write.endpoint);
      if (settings === undefined) return notSent('the endpoint is not declared any more');
      const { requestId, tool, tenant, actionId, attempt, deadline, timeoutMs, maySend } = write;
      if (timeoutMs <= 0) return notSent('the time of the attempt was already up');
      const outgoing: Outgoing = {
        ...{ requestId, tool, arguments: write.arguments, tenant, actionId, attempt, deadline },
        mode: 'execute',
      };
      return withinTime(timeoutMs, undefined, async (signal) =>
        classifyWrite(await call(outgoing, settings, { timeoutMs, signal, maySend })),
      );
    },

    async read({ endpoint, tool, arguments: args, tenant, signal: caller }) {
      const settings = endpoints(endpoint);
      if (settings === undefined) {
        const outcome = unavailable('the endpoint is not declared any more', false);
        return withRetries(async () => outcome, 1, delay, caller);
      }
      const requestId = randomUUID().replaceAll('-', '');
      const { timeoutMs, maxAttempts, maxConcurrent } = settings;
      const attemptOnce = async (attempt: number): Promise<ReadOutcome> => {
        const place = await places.take(endpoint, () => endpoints(endpoint)?.maxConcurrent ?? maxConcurrent, caller);
        if (place === undefined) return unavailable('too many calls of this endpoint are waiting', true);
        const deadline = new Date(now() + timeoutMs);
        const outgoing: Outgoing = {
          ...{ requestId, tool, arguments: args, tenant, actionId: '', attempt, deadline },
          mode: 'read',
        };
        try {
          return await withinTime(timeoutMs, caller, async (signal) =>
            classifyRead(await call(outgoing, settings, { timeoutMs, signal, maySend: () => true })),
          );
        } finally {
          place.release();
        }
      };
      return withRetries(attemptOnce, maxAttempts, delay, caller);
    },

    async close() {
      await Promise.all(Object.values(transports).map((transport) => transport.close()));
    },
  };
}

/** Gives the work a signal that fires when the time is up, or when the caller leaves. */
async function withinTime<T>(
  ms: number,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(timeIsUp), ms);
  const leave = () => stop.abort(caller?.reason);
  caller?.addEventListener('abort', leave, { once: true });
  if (caller?.aborted) leave();
  try {
    return await work(stop.signal);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', leave);
  }
}

/** What an operator needs to see of a failed attempt, and nobody else may; undefined when it did not fail. */
function troubleIn(reply: Reply): object | undefined {
  switch (reply.kind) {
    case 'unsent':
    case 'lost':
      return { why: reply.why, err: reply.cause };
    case 'unreadable':
      return { err: reply.cause };
    case 'too-large':
      return { status: reply.status };
    case 'status':
      return { status: reply.code, said: reply.message.slice(0, loggedCharacters) };
    case 'http':
      if (reply.status >= 200 && reply.status <= 299) return undefined;
      return { status: reply.status, said: Buffer.from(reply.body).toString().slice(0, loggedCharacters) };
    case 'result':
    case 'refusal':
      return undefined;
  }
}

/** Of what an endpoint said beside a failure. */
const loggedCharacters = 1_000;
