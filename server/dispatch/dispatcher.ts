/**
 * Calls endpoints (DESIGN §4): one policy, three transports. A write is sent at most once and its answer is read by the
 * tables of classify-write.ts; a read is repeated where that is allowed. Settings are looked up for every call, so that a
 * reload of the catalog needs nothing here.
 */
import { randomUUID } from 'node:crypto';
import type { EndpointSettings } from '../domain/endpoint.ts';
import type { Dispatcher } from '../lifecycle/ports/dispatcher.ts';
import { createBreakers } from './breakers.ts';
import { classifyProbe, type ProbeReading, saysNothing } from './classify-probe.ts';
import { classifyRead, type ReadOutcome, unavailable } from './classify-read.ts';
import { classifyWrite, notSent } from './classify-write.ts';
import { type DispatchLog, oneCall } from './one-call.ts';
import { createPlaces } from './places.ts';
import { type Delay, realDelay, withRetries } from './read-retries.ts';
import type { Failure, Outgoing, Question, Transport } from './transport.ts';
import { createTransports } from './transports/create-transports.ts';
import { withinTime } from './within-time.ts';

export interface DispatcherOptions {
  /** The endpoint of that name as it is declared now. */
  readonly endpoints: (name: string) => EndpointSettings | undefined;
  /** Between the attempts of a read; real time by default. */
  readonly delay?: Delay;
  /** Milliseconds since the epoch, for the deadline of a read and for signatures; `Date.now` by default. */
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
  const breakers = createBreakers(log);
  const transports = createTransports(monotonic, now);

  function call<R extends { readonly kind: string }>(
    { requestId, actionId, attempt }: Question,
    settings: EndpointSettings,
    make: (transport: Transport) => Promise<R>,
    told = { statuses: true },
  ): Promise<R | Failure> {
    const facts = { call_id: requestId, action_id: actionId || undefined, endpoint: settings.name, attempt };
    return oneCall(() => make(transports[settings.transport]), log, facts, told);
  }

  async function ask(endpoint: string, question: Question, caller: AbortSignal | undefined): Promise<ProbeReading> {
    const settings = endpoints(endpoint);
    if (settings === undefined) return saysNothing('the endpoint is not declared any more');
    const { timeoutMs, maxConcurrent, maxResponseBytes } = settings;
    const place = await places.take(endpoint, () => endpoints(endpoint)?.maxConcurrent ?? maxConcurrent, caller);
    if (place === undefined) return saysNothing('no place among its calls');
    try {
      return await withinTime(timeoutMs, caller, async (signal) =>
        classifyProbe(
          await call(
            question,
            settings,
            (transport) => transport.probe(question, settings, { timeoutMs, signal, maySend: anytime }),
            // Whether a status is trouble is for the reading of the probe to say.
            { statuses: false },
          ),
          maxResponseBytes,
        ),
      );
    } finally {
      place.release();
    }
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
        classifyWrite(
          await call(outgoing, settings, (transport) =>
            transport.invoke(outgoing, settings, { timeoutMs, signal, maySend }),
          ),
        ),
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
          return await breakers.through(settings, () =>
            withinTime(timeoutMs, caller, async (signal) =>
              classifyRead(
                await call(outgoing, settings, (transport) =>
                  transport.invoke(outgoing, settings, { timeoutMs, signal, maySend: anytime }),
                ),
              ),
            ),
          );
        } finally {
          place.release();
        }
      };
      return withRetries(attemptOnce, maxAttempts, delay, caller);
    },

    async probe({ endpoint, requestId, tool, tenant, actionId, attempt, signal: caller }) {
      const { answer, fault } = await ask(endpoint, { requestId, tool, tenant, actionId, attempt }, caller);
      if (fault !== undefined)
        log?.warn({ call_id: requestId, action_id: actionId, endpoint, attempt, fault }, 'a probe learned nothing');
      return answer;
    },

    async close() {
      await Promise.all(Object.values(transports).map((transport) => transport.close()));
    },
  };
}

const anytime = () => true;
