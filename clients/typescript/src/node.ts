/** What only Node can: gRPC. Needs `@connectrpc/connect-node` beside this package. */
import type { Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';

export interface GrpcOptions {
  /** Where Tether's gRPC door is: `http://127.0.0.1:50051`, or with `https:` by TLS. */
  readonly url: string;
  /** For `https:`, all as PEM text: the authority of the server's certificate, if Node knows it not, and a certificate of one's own. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/**
 * gRPC over HTTP/2, for `createTetherClient({ transport: grpcTransport({ url }), key })`. One connection for all calls, opened by
 * the first and looked after by pings, so that a dead one is noticed while a watch is open.
 */
export function grpcTransport({ url, tls }: GrpcOptions): Transport {
  return createGrpcTransport({ baseUrl: url, nodeOptions: tls, pingIntervalMs: 20_000 });
}
