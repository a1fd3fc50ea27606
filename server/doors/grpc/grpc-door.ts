import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { DoorLimits } from '../limits.ts';
import type { Pipeline } from '../pipeline.ts';
import { portError } from '../port-error.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Bytes } from './grpc-call.ts';
import { streamHandler } from './stream-handler.ts';
import { unaryHandler } from './unary-handler.ts';

/** A door that is open. */
export interface GrpcDoor {
  readonly port: number;
  /** Takes no new connections or calls; resolves when those that run have ended, of themselves or after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

export interface GrpcDoorOptions {
  readonly rpcs: readonly Rpc[];
  readonly pipeline: Pipeline;
  readonly limits: DoorLimits;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
}

/**
 * What the library refuses by itself it refuses without a detail. So its own limit lies above ours: what is a little too
 * large gets an actionable answer, and what is far too large is never held in memory.
 */
const hardLimitFactor = 4;

const asIs = (bytes: Bytes): Bytes => bytes;

/** Serves RPCs by @grpc/grpc-js, in plain text: TLS is for the proxy in front. Rejects when it cannot listen. */
export async function openGrpcDoor({ rpcs, pipeline, limits, host, port }: GrpcDoorOptions): Promise<GrpcDoor> {
  const server = new Server({
    'grpc.max_receive_message_length': limits.requestBytes * hardLimitFactor,
    'grpc.max_send_message_length': -1,
    'grpc.enable_channelz': 0,
  });
  for (const rpc of rpcs) {
    const path = `/${rpc.method.parent.typeName}/${rpc.method.name}`;
    if (rpc.kind === 'unary') server.register(path, unaryHandler(rpc, pipeline, limits), asIs, asIs, 'unary');
    else server.register(path, streamHandler(rpc, pipeline, limits), asIs, asIs, 'serverStream');
  }
  const address = (at: number) => (host.includes(':') ? `[${host}]:${at}` : `${host}:${at}`);
  const bound = await bind(server, address(port)).catch((cause: unknown) => {
    throw portError('TETHER_GRPC_PORT', host, port, cause);
  });
  return { port: bound, close: (graceMs) => shutDown(server, address(bound), graceMs) };
}

function bind(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
}

/**
 * `drain` comes first, because it alone ends what outlasts the grace: it forgets sessions that are closing already, and
 * without channelz `forceShutdown` finds none at all.
 */
function shutDown(server: Server, address: string, graceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.drain(address, graceMs);
    server.tryShutdown((error) => (error === undefined ? resolve() : reject(error)));
  });
}
