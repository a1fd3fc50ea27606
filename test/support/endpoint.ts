/**
 * A vendor's endpoint for tests: a real server over any of the three transports that does with each call what the test
 * says, and keeps a log of what it saw.
 *
 *   await using endpoint = await startEndpoint({ transport: 'grpc' });
 *   endpoint.answerNext(answers.reset(), async () => { await gate; return answers.result('{}'); });
 *   endpoint.answer(answers.broken('grpc'));     // from then on, when nothing is queued
 *   await endpoint.arrived(2);                   // two calls are here, answered or not
 *   endpoint.calls, endpoint.applied             // what it saw, what it did
 */
import type { EndpointSettings, EndpointTransport } from '../../server/domain/endpoint.ts';
import { answers, type EndpointCall, type EndpointScript } from './endpoint-answer.ts';
import { serveConnect } from './endpoint-connect.ts';
import { serveGrpc } from './endpoint-grpc.ts';
import { serveJson } from './endpoint-json.ts';
import type { Serve } from './endpoint-serve.ts';

export { answers, type EndpointAnswer, type EndpointCall, type EndpointScript } from './endpoint-answer.ts';

export interface Endpoint extends AsyncDisposable {
  /** As the catalog would declare it; spread it to change something. */
  readonly settings: EndpointSettings;
  readonly url: string;
  /** Every call, in the order of arrival. */
  readonly calls: readonly EndpointCall[];
  /** The idempotency keys of the writes it made, once for each time. */
  readonly applied: readonly string[];
  /** TCP connections that were ever made to it. */
  connections(): number;
  /** For every call for which nothing is queued; `{"ok":true}` until it is said. */
  answer(script: EndpointScript): void;
  /** For the next calls, one each. */
  answerNext(...scripts: EndpointScript[]): void;
  /** Resolves with the log when so many calls have arrived in all. */
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
  const applied: string[] = [];
  const queued: EndpointScript[] = [];
  const waiting = new Set<() => void>();
  let otherwise: EndpointScript = answers.result('{"ok":true}');

  const served = await serveBy[transport](async (call) => {
    calls.push(call);
    const script = queued.shift() ?? otherwise;
    for (const look of waiting) look();
    const answer = typeof script === 'function' ? await script(call) : script;
    if (call.isWrite && (answer.applied ?? answer.kind === 'result')) applied.push(call.requestId);
    return answer;
  }, port);

  const url = `http://127.0.0.1:${served.port}${served.path}`;
  return {
    url,
    calls,
    applied,
    settings: {
      ...{ name, transport, url, timeoutMs: 5_000, maxAttempts: 3, maxResponseBytes: 262_144, maxConcurrent: 64 },
      ...options.settings,
    },
    connections: served.connections,
    answer(script) {
      otherwise = script;
    },
    answerNext(...scripts) {
      queued.push(...scripts);
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
