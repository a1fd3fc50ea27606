/**
 * Asks the operator's authorizer before a confirm runs anything (DESIGN §2.2 step 6), over the same wire as the endpoints:
 * one attempt, bounded in time and size, no redirects, and a used connection only if it has just answered. Fails closed:
 * whatever is no clear answer is none.
 */
import type { EndpointSettings } from '../domain/endpoint.ts';
import type { Authorizer } from '../lifecycle/ports/authorizer.ts';
import { type Carried, type DispatchTelemetry, untold } from '../lifecycle/ports/telemetry.ts';
import { classifyVerdict, noAnswer, type VerdictReading } from './classify-verdict.ts';
import { type DispatchLog, oneCall } from './one-call.ts';
import { createPlaces } from './places.ts';
import type { Petition } from './transport.ts';
import { createTransports } from './transports/create-transports.ts';
import { withinTime } from './within-time.ts';

export interface AuthorizerOptions {
  /**
   * Where it is, as it is configured now; undefined when there is none, and then everybody may. Of the settings `timeoutMs`,
   * `maxResponseBytes`, `maxConcurrent`, `bearerToken` and `signingKeys` count as for an endpoint.
   */
  readonly settings: () => EndpointSettings | undefined;
  /** Silent by default. */
  readonly log?: DispatchLog;
  /** Silent by default. */
  readonly telemetry?: DispatchTelemetry;
  /** Milliseconds, never going back, for the age of connections; `performance.now` by default. */
  readonly monotonic?: () => number;
  /** Milliseconds since the epoch, for signatures; `Date.now` by default. */
  readonly now?: () => number;
}

/** `close` drops all connections. */
export type ClosableAuthorizer = Authorizer & { close(): Promise<void> };

export function createAuthorizer(options: AuthorizerOptions): ClosableAuthorizer {
  const { settings: configured, log, telemetry = untold } = options;
  const { monotonic = () => performance.now(), now = Date.now } = options;
  const transports = createTransports(monotonic, now);
  const places = createPlaces();

  async function ask(petition: Petition, settings: EndpointSettings, caller: AbortSignal): Promise<VerdictReading> {
    const { name, timeoutMs, maxConcurrent, transport } = settings;
    const facts = { action_id: petition.observed.action.id, endpoint: name };
    const place = await places.take(name, () => configured()?.maxConcurrent ?? maxConcurrent, caller);
    if (place === undefined) return noAnswer('no place among its calls');
    try {
      const once = (carried: Carried) =>
        withinTime(timeoutMs, caller, async (signal) => {
          const bounds = { timeoutMs, signal, maySend: () => true, carried };
          return classifyVerdict(
            await oneCall(() => transports[transport].authorize(petition, settings, bounds), log, facts, {
              statuses: false,
            }),
          );
        });
      const { tool, id } = petition.observed.action;
      return await telemetry.dispatch(
        { endpoint: name, transport, mode: 'authorize', tool, actionId: id, attempt: 1 },
        once,
        ({ authorization }) => authorization.kind,
      );
    } finally {
      place.release();
    }
  }

  return {
    async authorize(observed, approver, signal) {
      const settings = configured();
      if (settings === undefined) return { kind: 'allowed' };
      const { authorization, fault } = await ask({ observed, approver }, settings, signal);
      if (fault !== undefined) {
        const facts = { action_id: observed.action.id, endpoint: settings.name, fault };
        log?.warn(facts, 'the authorizer gave no answer');
      }
      return authorization;
    },
    async close() {
      await Promise.all(Object.values(transports).map((transport) => transport.close()));
    },
  };
}
