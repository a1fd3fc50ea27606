import {
  Code,
  ConnectError,
  type ContextKey,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect';
import {
  createAsyncIterable,
  type UniversalHandler,
  type UniversalServerRequest,
  type UniversalServerResponse,
} from '@connectrpc/connect/protocol';
import { compressionBrotli, compressionGzip } from '@connectrpc/connect-node';
import type { Principal } from '../../domain/principal.ts';
import type { Call } from '../call.ts';
import { CallerGone } from '../caller-gone.ts';
import { Failure } from '../failure.ts';
import type { DoorLimits } from '../limits.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { traceContextOf } from '../trace-context.ts';
import { connectErrorOf } from './connect-error.ts';
import { explain } from './explain.ts';

/** One RPC by Connect and gRPC-Web. */
export interface RpcHandler {
  readonly path: string;
  readonly handler: UniversalHandler;
  /** Answers every request whose method and content type the handler supports. */
  answer(request: UniversalServerRequest, requestId: string, peer: string): Promise<UniversalServerResponse>;
  /** Answers a request in the caller's protocol, whatever it says. */
  refuse(request: UniversalServerRequest, failure: Failure): Promise<UniversalServerResponse>;
}

/** One pass of a request through the library. */
interface Visit {
  readonly requestId: string;
  readonly peer: string;
  /** What to answer whatever the request says. */
  readonly verdict?: ConnectError;
  context?: HandlerContext;
  call?: Call;
  stopListening?: () => void;
  principal?: Principal;
  /** The request was refused admission or has reached the handler: the answer is the pipeline's. */
  decided?: true;
}

const visitKey: ContextKey<Visit> = createContextKey<Visit>({ requestId: '', peer: '' });

/** Compressing costs more than it saves for all but large answers. */
const compressFromBytes = 16_384;

/**
 * Puts RPCs behind connect. The library authenticates nobody by itself, and what it refuses (a body that is not JSON, an
 * unknown compression, a bad timeout) it refuses without a detail; so the pipeline admits in its gate, before the body is
 * read, and what the library refused is sent through it once more with a better answer, which it puts into the caller's
 * protocol.
 */
export function createRpcHandlers(rpcs: readonly Rpc[], pipeline: Pipeline, limits: DoorLimits): RpcHandler[] {
  return rpcs.map((rpc) => {
    const handler = libraryHandler(rpc, pipeline, limits);
    const refuse = refuseWith(handler);
    return { path: handler.requestPath, handler, answer: answerWith(handler, rpc, pipeline, limits, refuse), refuse };
  });
}

function libraryHandler(rpc: Rpc, pipeline: Pipeline, limits: DoorLimits): UniversalHandler {
  // A text that is not UTF-8 is refused: what runs must be what was sent.
  const jsonOptions = { ignoreUnknownFields: false, textDecoder: new TextDecoder('utf-8', { fatal: true }) };
  const router = createConnectRouter({
    grpc: false,
    jsonOptions,
    readMaxBytes: limits.requestBytes,
    compressMinBytes: compressFromBytes,
    acceptCompression: [compressionGzip, compressionBrotli],
    requestGate: (context) => admit(rpc, pipeline, context),
  });
  if (rpc.kind === 'unary')
    router.rpc(rpc.method, (request, context) => {
      const { principal, call, stopListening } = admitted(context);
      return pipeline.run(rpc, principal, request, call).catch(throwAsConnectError).finally(stopListening);
    });
  else
    router.rpc(rpc.method, async function* (request, context) {
      const { principal, call } = admitted(context);
      try {
        yield* pipeline.stream(rpc, principal, request, call);
      } catch (thrown) {
        throwAsConnectError(thrown);
      }
    });
  const [handler] = router.handlers;
  if (handler === undefined) throw new Error(`no handler was made for ${rpc.method.name}`);
  return handler;
}

/** Who is calling; from here on the answer is the pipeline's. */
function admitted({ values }: HandlerContext): Required<Pick<Visit, 'principal' | 'call' | 'stopListening'>> {
  const visit = values.get(visitKey);
  const { call, principal, stopListening } = visit;
  if (call === undefined || principal === undefined || stopListening === undefined)
    throw new Error('a request passed the gate without being admitted');
  visit.decided = true;
  return { call, principal, stopListening };
}

async function admit(rpc: Rpc, pipeline: Pipeline, context: HandlerContext): Promise<void> {
  const visit = context.values.get(visitKey);
  if (visit.verdict !== undefined) throw visit.verdict;
  const { requestId, peer } = visit;
  const authorization = context.requestHeader.get('authorization') ?? undefined;
  const { signal, stopListening } = listenToCaller(context.signal);
  const header = (name: string) => context.requestHeader.get(name) ?? undefined;
  const incoming = traceContextOf(header('traceparent'), header('tracestate'));
  const door = context.protocolName === 'grpc-web' ? 'grpc-web' : 'connect';
  const call: Call = { requestId, door, incoming, authorization, peer, signal };
  visit.context = context;
  visit.call = call;
  visit.stopListening = stopListening;
  try {
    visit.principal = await pipeline.admit(rpc, call);
  } catch (thrown) {
    visit.decided = true;
    throwAsConnectError(thrown);
  }
}

function throwAsConnectError(thrown: unknown): never {
  throw thrown instanceof Failure ? connectErrorOf(thrown) : thrown;
}

/**
 * The library's signal, classified: it fires for a deadline and for a broken connection. It fires once more when a call has
 * ended; nobody listens by then, and an error that nobody reads is not made.
 */
function listenToCaller(signal: AbortSignal): { signal: AbortSignal; stopListening: () => void } {
  const controller = new AbortController();
  const leave = () => controller.abort(new CallerGone(isDeadline(signal.reason) ? 'deadline' : 'hung-up'));
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  return { signal: controller.signal, stopListening: () => signal.removeEventListener('abort', leave) };
}

function isDeadline(reason: unknown): boolean {
  return reason instanceof ConnectError && reason.code === Code.DeadlineExceeded;
}

function pass(handler: UniversalHandler, request: UniversalServerRequest, visit: Visit) {
  return handler({ ...request, contextValues: createContextValues().set(visitKey, visit) });
}

function refuseWith(handler: UniversalHandler): RpcHandler['refuse'] {
  return (request, failure) =>
    pass(
      handler,
      { ...request, body: createAsyncIterable([]) },
      { requestId: '', peer: '', verdict: connectErrorOf(failure) },
    );
}

function answerWith(
  handler: UniversalHandler,
  rpc: Rpc,
  pipeline: Pipeline,
  limits: DoorLimits,
  refuse: RpcHandler['refuse'],
): RpcHandler['answer'] {
  return async (request, requestId, peer) => {
    const visit: Visit = { requestId, peer };
    const response = await pass(handler, request, visit);
    const failure = refusedByLibrary(visit, rpc, pipeline, limits);
    return failure === undefined ? response : refuse(request, failure);
  };
}

/** What the library refused on its own account; undefined when the answer is the pipeline's, or nobody waits for it. */
function refusedByLibrary(visit: Visit, rpc: Rpc, pipeline: Pipeline, limits: DoorLimits): Failure | undefined {
  const { call, context, decided } = visit;
  if (call === undefined || context === undefined || decided) return undefined;
  const reason: unknown = context.signal.reason;
  if (!(reason instanceof ConnectError)) return pipeline.fail(rpc, call, reason, 'before');
  if (isDeadline(reason) || reason.code === Code.Canceled || reason.code === Code.Aborted) return undefined;
  return pipeline.fail(rpc, call, explain(reason, rpc.method.input, limits), 'before');
}
