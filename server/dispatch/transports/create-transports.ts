import type { EndpointTransport } from '../../domain/endpoint.ts';
import type { Transport } from '../transport.ts';
import { createConnectWire } from './connect.ts';
import { createGrpcWire } from './grpc.ts';
import { createJsonTransport } from './json.ts';
import { createProtoTransport } from './proto-transport.ts';

/** All three ways to speak to an endpoint. `monotonic`: milliseconds, never going back, for the age of connections. */
export function createTransports(monotonic: () => number): Readonly<Record<EndpointTransport, Transport>> {
  return {
    json: createJsonTransport(monotonic),
    connect: createProtoTransport(createConnectWire(monotonic)),
    grpc: createProtoTransport(createGrpcWire(monotonic)),
  };
}
