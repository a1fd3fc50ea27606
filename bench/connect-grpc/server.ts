/**
 * The same handler and pipeline of Get, on the same database as a real server, with connect-node's own gRPC in front of them: what
 * the gRPC door is measured against. It is as lean as connect-node allows: no interceptors, no other protocols, no health.
 */
import { createServer } from 'node:http2';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { GetResponse } from '../../gen/tether/v1/action_service_pb.ts';
import { createCatalog } from '../../server/catalog/create-catalog.ts';
import { createAuthorizer } from '../../server/dispatch/authorizer.ts';
import { createDispatcher } from '../../server/dispatch/dispatcher.ts';
import { createAdmission } from '../../server/doors/admission.ts';
import { limitsWith } from '../../server/doors/limits.ts';
import { createPipeline } from '../../server/doors/pipeline.ts';
import { requestIdFrom, requestIdHeader } from '../../server/doors/request-id.ts';
import { getRpc } from '../../server/doors/rpc/get.ts';
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

const server = createServer(
  connectNodeAdapter({
    connect: false,
    grpcWeb: false,
    readMaxBytes: limits.requestBytes,
    routes(router) {
      router.rpc(rpc.method, async (request, { requestHeader, responseHeader, signal }) => {
        const requestId = requestIdFrom(requestHeader.get(requestIdHeader));
        responseHeader.set(requestIdHeader, requestId);
        const authorization = requestHeader.get('authorization') ?? undefined;
        const call = { requestId, door: 'grpc' as const, incoming: {}, authorization, peer: '127.0.0.1', signal };
        const answer = await pipeline.run(rpc, await pipeline.admit(rpc, call), request, call);
        // The pipeline runs any RPC; what this one answers is a GetResponse by its definition.
        return answer as GetResponse;
      });
    },
  }),
);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  announceReady(`127.0.0.1:${address.port}`);
});
