import { Code, ConnectError, createConnectRouter } from '@connectrpc/connect';
import { readAllBytes } from '@connectrpc/connect/protocol';
import { ToolEndpoint } from '@tether/proto/clients/tether/v1/tool_endpoint_pb.ts';
import type { Endpoint } from '../endpoint.ts';
import { answerInvoke, answerProbe } from './answer-proto.ts';
import { RpcFault } from './rpc-fault.ts';

/** A request whose body is there as it came. */
export interface ConnectRequest {
  readonly method: string;
  /** Absolute, or from the path on. */
  readonly url: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

export interface ConnectAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The library's own handlers, behind the signature: it parses a body, and what is signed are its bytes. */
export function connectAnswers(endpoint: Endpoint): (request: ConnectRequest) => Promise<ConnectAnswer> {
  const router = createConnectRouter({ grpc: false, grpcWeb: false });
  router.service(ToolEndpoint, {
    invoke: (request, { requestHeader }) => inConnect(answerInvoke(endpoint, request, keyIn(requestHeader))),
    probe: (request, { requestHeader }) => inConnect(answerProbe(endpoint, request, keyIn(requestHeader))),
  });
  return async ({ method, url, headers, body }) => {
    const absolute = new URL(url, 'http://localhost');
    const handler = router.handlers.find(({ requestPath }) => absolute.pathname.endsWith(requestPath));
    if (handler === undefined) return connectFault('unimplemented', 'Here are the methods of tether.v1.ToolEndpoint.');
    const fault = await endpoint.checkSignature(body, (name) => headers.get(name));
    if (fault !== undefined) return connectFault('unauthenticated', fault);
    const response = await handler({
      ...{ httpVersion: '1.1', method, url: absolute.href, header: headers },
      body: onlyChunk(body),
      // A caller that hangs up changes nothing: what has begun is finished.
      signal: new AbortController().signal,
    });
    const answer = await readAllBytes(response.body ?? onlyChunk(new Uint8Array()), Number.MAX_SAFE_INTEGER);
    return { status: response.status, headers: new Headers(response.header), body: Uint8Array.from(answer) };
  };
}

const statuses = { invalid_argument: 400, unauthenticated: 401, unimplemented: 501 } as const;

/** A status as Connect writes it, for what never gets to the library. */
export function connectFault(code: keyof typeof statuses, message: string): ConnectAnswer {
  const body = new TextEncoder().encode(JSON.stringify({ code, message }));
  return { status: statuses[code], headers: new Headers({ 'content-type': 'application/json' }), body };
}

async function inConnect<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcFault) throw new ConnectError(error.message, error.code);
    throw new ConnectError('The call failed.', Code.Internal);
  }
}

function keyIn(headers: Headers): string | null {
  return headers.get('x-tether-idempotency-key');
}

async function* onlyChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
