/**
 * Calls endpoints (DESIGN §4): one policy, three transports. A write is sent at most once and its answer is read by the
 * tables of classify-write.ts; a read is repeated where that is allowed. Settings are looked up for every call, so that a
 * reload of the catalog needs nothing here.
 */
import { randomUUID } from 'node:crypto';
import type { EndpointSettings } from '../domain/endpoint.ts';
import type { Dispatcher, EndpointLoad } from '../lifecycle/ports/dispatcher.ts';
import { type Carried, type DispatchTelemetry, type OutgoingFacts, untold } from '../lifecycle/ports/telemetry.ts';
import { createBreakers } from './breakers.ts';
import { classifyProbe, type ProbeReading, saysNothing } from './classify-probe.ts';
import { classifyRead, type ReadOutcome, unavailable } from './classify-read.ts';
import { classifyWrite, notSent } from './classify-write.ts';
import { type DispatchLog, oneCall } from './one-call.ts';
import { createPlaces } from './places.ts';
import { type Delay, realDelay, withRetries } from './read-retries.ts';
import type { Bounds, Failure, Outgoing, Question, Transport } from './transport.ts';
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
  /** Silent by default. */
  readonly telemetry?: DispatchTelemetry;
}

/** `close` drops all connections; writes in flight end without an answer, so it comes after the drain. */
export type ClosableDispatcher = Dispatcher & { load(): readonly EndpointLoad[]; close(): Promise<void> };

export function createDispatcher(options: DispatcherOptions): ClosableDispatcher {
  const { endpoints, delay = realDelay, now = Date.now, monotonic = () => performance.now() } = options;
  const { log, telemetry = untold } = options;
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

  /** One attempt, told and bounded in time. */
  function attempted<R>(
    { question, settings, mode, timeoutMs, caller, maySend }: Attempt,
    work: (bounds: Bounds) => Promise<R>,
    outcomeOf: (answer: R) => string,
  ): Promise<R> {
    const { tool, actionId, attempt } = question;
    const facts = { endpoint: settings.name, transport: settings.transport, mode, tool, actionId, attempt };
    const once = (carried: Carried) =>
      withinTime(timeoutMs, caller, (signal) => work({ timeoutMs, signal, maySend, carried }));
    return telemetry.dispatch(facts, once, outcomeOf);
  }

  async function ask(endpoint: string, question: Question, caller: AbortSignal | undefined): Promise<ProbeReading> {
    const settings = endpoints(endpoint);
    if (settings === undefined) return saysNothing('the endpoint is not declared any more');
    const { timeoutMs, maxConcurrent, maxResponseBytes } = settings;
    const place = await places.take(endpoint, () => endpoints(endpoint)?.maxConcurrent ?? maxConcurrent, caller);
    if (place === undefined) return saysNothing('no place among its calls');
    try {
      return await attempted(
        { question, settings, mode: 'probe', timeoutMs, caller, maySend: anytime },
        async (bounds) =>
          classifyProbe(
            await call(
              question,
              settings,
              (transport) => transport.probe(question, settings, bounds),
              // Whether a status is trouble is for the reading of the probe to say.
              { statuses: false },
            ),
            maxResponseBytes,
          ),
        ({ answer }) => answer.disposition,
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
      return attempted(
        { question: outgoing, settings, mode: 'execute', timeoutMs, caller: undefined, maySend },
        async (bounds) =>
          classifyWrite(await call(outgoing, settings, (transport) => transport.invoke(outgoing, settings, bounds))),
        ({ kind }) => kind,
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
          return await breakers.through(
            settings,
            () =>
              attempted(
                { question: outgoing, settings, mode: 'read', timeoutMs, caller, maySend: anytime },
                async (bounds) =>
                  classifyRead(
                    await call(outgoing, settings, (transport) => transport.invoke(outgoing, settings, bounds)),
                  ),
                ({ kind }) => kind,
              ),
            caller,
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

    load: places.load,

    async close() {
      await Promise.all(Object.values(transports).map((transport) => transport.close()));
    },
  };
}

const anytime = () => true;

interface Attempt {
  readonly question: Question;
  readonly settings: EndpointSettings;
  readonly mode: OutgoingFacts['mode'];
  readonly timeoutMs: number;
  readonly caller: AbortSignal | undefined;
  readonly maySend: () => boolean;
}
