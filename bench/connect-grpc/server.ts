/**
 * The same handler and pipeline of Get, on the same database as a real server, with connect-node's own gRPC in front of them: what
 * the gRPC door is measured against. It gives callers what that door gives them: they are let in before their requests are read,
 * with the same limits, request ids and trace contexts. There are no interceptors, no other protocols, no health, and no errors
 * with a detail, which would cost it more.
 */
import { createServer } from 'node:http2';
import { createContextKey, createContextValues, type HandlerContext } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { GetResponse } from '../../gen/tether/v1/action_service_pb.ts';
import { createCatalog } from '../../server/catalog/create-catalog.ts';
import { createAuthorizer } from '../../server/dispatch/authorizer.ts';
import { createDispatcher } from '../../server/dispatch/dispatcher.ts';
import type { Principal } from '../../server/domain/principal.ts';
import { createAdmission } from '../../server/doors/admission/admission.ts';
import type { Call } from '../../server/doors/call.ts';
import { CallerGone } from '../../server/doors/caller-gone.ts';
import { limitsWith } from '../../server/doors/limits.ts';
import { capConnections } from '../../server/doors/listen.ts';
import { createPipeline } from '../../server/doors/pipeline.ts';
import { requestIdFrom, requestIdHeader } from '../../server/doors/request-id.ts';
import { getRpc } from '../../server/doors/rpc/get.ts';
import { traceContextOf } from '../../server/doors/trace-context.ts';
import { createIds } from '../../server/ids.ts';
import { createLifecycle } from '../../server/lifecycle/create-lifecycle.ts';
import type { Readiness } from '../../server/lifecycle/ports/readiness.ts';
import { clock } from '../../server/process/clock.ts';
import { openStore } from '../../server/store/open.ts';
import { createTelemetry } from '../../server/telemetry/create-telemetry.ts';
import { announceReady, given } from '../children.ts';
import { poolSize } from '../contender.ts';

const telemetry = createTelemetry({ level: 'warn' });
const { log } = telemetry;
const catalog = await createCatalog({ path: given('BENCH_CATALOG'), env: {}, logger: log });
const store = await openStore({ url: given('BENCH_DATABASE_URL'), poolSize, logger: log });
const lifecycle = createLifecycle({
  store: store.actions,
  events: store.events,
  stops: store.stops,
  catalog,
  dispatcher: createDispatcher({ endpoints: catalog.endpoint, log }),
  authorizer: createAuthorizer({ settings: catalog.authorizer, log }),
  clock,
  ids: createIds(clock.wall),
  log,
  retention: { actionsMs: 86_400_000, eventsMs: 86_400_000 },
});
const ready: Readiness = {
  standing: () => ({ status: 'ready', checks: { database: 'ok', catalog: 'ok' } }),
  follow: () => () => undefined,
};
const limits = limitsWith({ callsPerSecond: 1_000_000 });
const pipeline = createPipeline({
  admission: createAdmission(store.credentials, limits, log),
  readiness: ready,
  telemetry,
  logger: log,
});
const rpc = getRpc(lifecycle);

/** One call, from the gate on. */
interface Visit {
  readonly peer: string;
  call?: Call;
  principal?: Principal;
  late?: NodeJS.Timeout;
  stopListening?: () => void;
}
const visitKey = createContextKey<Visit>({ peer: '' });

/** Lets in by what stands before the request, and gives the request a time to arrive in. */
async function admit({ values, requestHeader, responseHeader, signal }: HandlerContext): Promise<void> {
  const visit = values.get(visitKey);
  const requestId = requestIdFrom(requestHeader.get(requestIdHeader));
  responseHeader.set(requestIdHeader, requestId);
  const header = (name: string) => requestHeader.get(name) ?? undefined;
  const incoming = traceContextOf(header('traceparent'), header('tracestate'));
  const caller = new AbortController();
  const leave = () => caller.abort(new CallerGone('hung-up'));
  signal.addEventListener('abort', leave, { once: true });
  visit.stopListening = () => signal.removeEventListener('abort', leave);
  visit.call = {
    requestId,
    door: 'grpc',
    incoming,
    authorization: header('authorization'),
    peer: visit.peer,
    signal: caller.signal,
  };
  visit.principal = await pipeline.admit(rpc, visit.call);
  visit.late = setTimeout(leave, limits.requestMs);
}

const server = createServer(
  { settings: { maxConcurrentStreams: limits.grpc.streams } },
  connectNodeAdapter({
    connect: false,
    grpcWeb: false,
    readMaxBytes: limits.requestBytes,
    requestGate: admit,
    contextValues: ({ socket }) => createContextValues().set(visitKey, { peer: socket.remoteAddress ?? '' }),
    routes(router) {
      router.rpc(rpc.method, async (request, { values }) => {
        const { call, principal, late, stopListening } = values.get(visitKey);
        if (call === undefined || principal === undefined) throw new Error('a call passed the gate');
        clearTimeout(late);
        const answer = await pipeline.run(rpc, principal, request, call).finally(stopListening);
        // The pipeline runs any RPC; what this one answers is a GetResponse by its definition.
        return answer as GetResponse;
      });
    },
  }),
);
capConnections(server, limits.connections, log, 'gRPC');
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  announceReady(`127.0.0.1:${address.port}`);
});
