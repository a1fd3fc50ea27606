import type { EndpointTransport } from '../../domain/endpoint.ts';
import type { Transport } from '../transport.ts';
import { createConnectWire } from './connect.ts';
import { createGrpcWire } from './grpc.ts';
import { createJsonTransport } from './json.ts';
import { createProtoTransport } from './proto-transport.ts';

/**
 * All three ways to speak to an endpoint. `monotonic`: milliseconds, never going back, for the age of connections; `wall`:
 * milliseconds since the epoch, for what is signed.
 */
export function createTransports(
  monotonic: () => number,
  wall: () => number,
): Readonly<Record<EndpointTransport, Transport>> {
  return {
    json: createJsonTransport(monotonic, wall),
    connect: createProtoTransport(createConnectWire(monotonic, wall)),
    grpc: createProtoTransport(createGrpcWire(monotonic, wall)),
  };
}
