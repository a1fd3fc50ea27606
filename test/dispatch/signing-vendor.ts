/**
 * A vendor who checks signatures before anything else, over each transport with the servers that vendors use, in the way that
 * docs/signing.md tells. Everything that arrives is kept, signed or not, as the bytes that came.
 */
import { createServer, IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { DescMessage, DescMethodUnary, DescService, MessageInitShape } from '@bufbuild/protobuf';
import { create, toBinary } from '@bufbuild/protobuf';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { type MethodDefinition, Server, ServerCredentials, status, type UntypedHandleCall } from '@grpc/grpc-js';
import { Authorizer } from '@tether/proto/tether/v1/authorizer_pb.ts';
import { ProbeDisposition } from '@tether/proto/tether/v1/probe_disposition_pb.ts';
import { ToolEndpoint } from '@tether/proto/tether/v1/tool_endpoint_pb.ts';
import { onTestFinished } from 'vitest';
import type { EndpointTransport } from '../../server/domain/endpoint.ts';

/** A request as it came. */
export interface Arrival {
  readonly headers: Readonly<Record<string, string>>;
  /** Of gRPC, the message without its frame. */
  readonly body: Buffer;
}

export interface Vendor {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  /** Those that were let in. */
  readonly answered: readonly Arrival[];
}

/** Lets a request in, or turns it away. */
export type Verify = (arrival: Arrival) => boolean;

/** Over TLS: what it shows of itself, and the authority of the callers that it lets in; everybody's if there is none. */
export interface VendorTls {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
}

/** Gone with the test. */
export async function signingVendor(transport: EndpointTransport, verify: Verify, tls?: VendorTls): Promise<Vendor> {
  const arrivals: Arrival[] = [];
  const answered: Arrival[] = [];
  const letIn = (arrival: Arrival): boolean => {
    arrivals.push(arrival);
    const good = verify(arrival);
    if (good) answered.push(arrival);
    return good;
  };
  const { port, close } = await serveBy[transport](letIn, tls);
  onTestFinished(close);
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, arrivals, answered };
}

interface Served {
  readonly port: number;
  close(): Promise<void>;
}

type Serve = (letIn: Verify, tls: VendorTls | undefined) => Promise<Served>;

const said = {
  invoke: { outcome: { case: 'resultJson', value: '{"ok":true}' } },
  probe: { disposition: ProbeDisposition.EXECUTED, resultJson: '{"ok":true}' },
  authorize: { allowed: true },
} as const;

const serveJson: Serve = (letIn, tls) =>
  serveHttp(tls, async (request, response) => {
    const body = await buffer(request);
    const json = { 'content-type': 'application/json' };
    if (!letIn({ headers: headersOf(request), body })) {
      response.writeHead(401, json).end('{"error":"unauthenticated"}');
      return;
    }
    const { mode } = JSON.parse(body.toString());
    const answer = mode === 'probe' ? { disposition: 'executed', result: {} } : { ok: true, allowed: true };
    response.writeHead(200, json).end(JSON.stringify(answer));
  });

const serveConnect: Serve = (letIn, tls) => {
  const adapter = connectNodeAdapter({
    routes: (router) => {
      router.service(ToolEndpoint, { invoke: () => said.invoke, probe: () => said.probe });
      router.service(Authorizer, { authorize: () => said.authorize });
    },
  });
  return serveHttp(tls, async (request, response) => {
    const body = await buffer(request);
    if (!letIn({ headers: headersOf(request), body })) {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"code":"unauthenticated"}');
      return;
    }
    const { method, url, headers, httpVersion, complete } = request;
    const again = Object.assign(new IncomingMessage(request.socket), { method, url, headers, httpVersion, complete });
    again.push(body);
    again.push(null);
    adapter(again, response);
  });
};

const serveGrpc: Serve = async (letIn, tls) => {
  const server = new Server();
  const answering =
    <O extends DescMessage>(output: O, answer: MessageInitShape<O>): UntypedHandleCall =>
    (call: { request: Buffer; metadata: { getMap(): Record<string, unknown> } }, callback: unknown) => {
      if (typeof callback !== 'function') throw new Error('unary calls only');
      const headers = Object.fromEntries(Object.entries(call.metadata.getMap()).map(([k, v]) => [k, String(v)]));
      if (letIn({ headers, body: call.request })) callback(null, toBinary(output, create(output, answer)));
      else callback({ code: status.UNAUTHENTICATED, details: 'not signed' });
    };
  server.addService(
    {
      invoke: bytesOf(ToolEndpoint, ToolEndpoint.method.invoke),
      probe: bytesOf(ToolEndpoint, ToolEndpoint.method.probe),
    },
    {
      invoke: answering(ToolEndpoint.method.invoke.output, said.invoke),
      probe: answering(ToolEndpoint.method.probe.output, said.probe),
    },
  );
  server.addService(
    { authorize: bytesOf(Authorizer, Authorizer.method.authorize) },
    { authorize: answering(Authorizer.method.authorize.output, said.authorize) },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentialsOf(tls), (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return { port, close: async () => server.forceShutdown() };
};

const serveBy: Record<EndpointTransport, Serve> = { json: serveJson, connect: serveConnect, grpc: serveGrpc };

function credentialsOf(tls: VendorTls | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const pair = { cert_chain: Buffer.from(tls.cert), private_key: Buffer.from(tls.key) };
  return ServerCredentials.createSsl(tls.ca ? Buffer.from(tls.ca) : null, [pair], tls.ca !== undefined);
}

/** A method whose messages are handed over as their bytes. */
function bytesOf<I extends DescMessage, O extends DescMessage>(
  service: DescService,
  method: DescMethodUnary<I, O>,
): MethodDefinition<Buffer, Buffer> {
  const same = (bytes: Buffer) => bytes;
  return {
    path: `/${service.typeName}/${method.name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: (bytes) => Buffer.from(bytes),
    responseDeserialize: same,
  };
}

async function serveHttp(
  tls: VendorTls | undefined,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Served> {
  const listener = (request: IncomingMessage, response: ServerResponse) => void handle(request, response);
  const server = tls
    ? createTlsServer({ ...tls, requestCert: tls.ca !== undefined }, listener)
    : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function headersOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}
