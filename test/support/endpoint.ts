/**
 * A vendor's endpoint for tests: a real server over any of the three transports that does with each call what the test
 * says, and keeps a log of what it saw. It answers probes from a ledger of what it did, and can be an authorizer too.
 *
 *   await using endpoint = await startEndpoint({ transport: 'grpc' });
 *   endpoint.answerNext(answers.reset(), async () => { await gate; return answers.result('{}'); });
 *   endpoint.answer(answers.broken('grpc'));     // from then on, when nothing is queued
 *   await endpoint.arrived(2);                   // two calls are here, answered or not
 *   endpoint.calls, endpoint.applied             // what it saw, what it did
 *   endpoint.answerProbe(answers.probed('UNKNOWN'));
 *   endpoint.answerPetition(answers.denied({ message: 'Only managers.' }));   // at endpoint.authorizerSettings
 */
import type { EndpointSettings, EndpointTransport } from '../../server/domain/endpoint.ts';
import { answers, type EndpointCall, type EndpointPetition, type EndpointScript } from './endpoint-answer.ts';
import { serveConnect } from './endpoint-connect.ts';
import { serveGrpc } from './endpoint-grpc.ts';
import { serveJson } from './endpoint-json.ts';
import { createLedger } from './endpoint-ledger.ts';
import type { Serve } from './endpoint-serve.ts';

export {
  answers,
  type EndpointAnswer,
  type EndpointCall,
  type EndpointPetition,
  type EndpointScript,
} from './endpoint-answer.ts';

export interface Endpoint extends AsyncDisposable {
  /** As the catalog would declare it; spread it to change something. */
  readonly settings: EndpointSettings;
  /** The same server as an authorizer. */
  readonly authorizerSettings: EndpointSettings;
  readonly url: string;
  /** Every read and write, in the order of arrival. */
  readonly calls: readonly EndpointCall[];
  /** Every probe, likewise. */
  readonly probes: readonly EndpointCall[];
  /** Every question to the authorizer, likewise. */
  readonly petitions: readonly EndpointPetition[];
  /** The idempotency keys of the writes it made, once for each time. */
  readonly applied: readonly string[];
  /** TCP connections that were ever made to it. */
  connections(): number;
  /** For every read and write for which nothing is queued; `{"ok":true}` until it is said. */
  answer(script: EndpointScript): void;
  /** For the next calls, one each. */
  answerNext(...scripts: EndpointScript[]): void;
  /** For every probe; from the ledger until it is said, and with `ledger` again. */
  answerProbe(script: EndpointScript | 'ledger'): void;
  /** For every question to the authorizer; allowed until it is said. */
  answerPetition(script: EndpointScript<EndpointPetition>): void;
  /** Resolves with the log when so many reads and writes have arrived in all. */
  arrived(count: number): Promise<readonly EndpointCall[]>;
  close(): Promise<void>;
}

export interface EndpointOptions {
  /** `json` by default. */
  readonly transport?: EndpointTransport;
  /** `endpoint` by default. */
  readonly name?: string;
  /** A free one by default. */
  readonly port?: number;
  readonly settings?: Partial<EndpointSettings>;
}

const serveBy: Record<EndpointTransport, Serve> = { json: serveJson, connect: serveConnect, grpc: serveGrpc };

export async function startEndpoint(options: EndpointOptions = {}): Promise<Endpoint> {
  const { transport = 'json', name = 'endpoint', port = 0 } = options;
  const calls: EndpointCall[] = [];
  const probes: EndpointCall[] = [];
  const petitions: EndpointPetition[] = [];
  const applied: string[] = [];
  const queued: EndpointScript[] = [];
  const waiting = new Set<() => void>();
  let otherwise: EndpointScript = answers.result('{"ok":true}');

  const ledger = createLedger(transport, (key) => applied.push(key));
  let toProbes: EndpointScript = ledger.probe;
  let toPetitions: EndpointScript<EndpointPetition> = answers.allowed();

  const served = await serveBy[transport](
    {
      async invoke(call) {
        calls.push(call);
        const script = queued.shift() ?? otherwise;
        for (const look of waiting) look();
        if (!call.isWrite) return by(script, call);
        ledger.begin(call);
        return ledger.settle(call, await by(script, call));
      },
      async probe(call) {
        probes.push(call);
        return by(toProbes, call);
      },
      async authorize(petition) {
        petitions.push(petition);
        return by(toPetitions, petition);
      },
    },
    port,
  );

  const origin = `http://127.0.0.1:${served.port}`;
  const url = `${origin}${served.path}`;
  const settings: EndpointSettings = {
    ...{ name, transport, url, timeoutMs: 5_000, maxAttempts: 3, maxResponseBytes: 262_144, maxConcurrent: 64 },
    probe: true,
    ...options.settings,
  };
  return {
    ...{ url, calls, probes, petitions, applied, settings },
    authorizerSettings: { ...settings, name: 'authorizer', url: `${origin}${served.authorizerPath}` },
    connections: served.connections,
    answer(script) {
      otherwise = script;
    },
    answerNext(...scripts) {
      queued.push(...scripts);
    },
    answerProbe(script) {
      toProbes = script === 'ledger' ? ledger.probe : script;
    },
    answerPetition(script) {
      toPetitions = script;
    },
    arrived(count) {
      return new Promise((resolve) => {
        const look = () => {
          if (calls.length < count) return;
          waiting.delete(look);
          resolve(calls);
        };
        waiting.add(look);
        look();
      });
    },
    close: served.close,
    [Symbol.asyncDispose]: served.close,
  };
}

async function by<Call>(script: EndpointScript<Call>, call: Call) {
  return typeof script === 'function' ? script(call) : script;
}
