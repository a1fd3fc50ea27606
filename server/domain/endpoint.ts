import type { KeyObject } from 'node:crypto';

/** How an endpoint is spoken to (DESIGN §4). */
export const endpointTransports = ['json', 'connect', 'grpc'] as const;
export type EndpointTransport = (typeof endpointTransports)[number];

/** What TLS to an endpoint rests on. */
export interface EndpointTls {
  /** Another one whenever anything of it is another: connections are shared only under the same. */
  readonly id: string;
  /**
   * PEM: the authorities that are believed in place of the runtime's own, and the certificate by which we show who we are, with
   * its key. A function, so that whoever prints settings prints no key.
   */
  readonly options: () => {
    readonly ca: string | undefined;
    readonly cert: string | undefined;
    readonly key: string | undefined;
  };
}

/** A vendor's service as the catalog declares it now. */
export interface EndpointSettings {
  readonly name: string;
  readonly transport: EndpointTransport;
  /** `http:` or `https:`. JSON is posted to it as it is; Connect and gRPC append service and method to its path. */
  readonly url: string;
  /** Per attempt, milliseconds, connecting included. */
  readonly timeoutMs: number;
  /** Of a read; a write always has one. */
  readonly maxAttempts: number;
  /** Of one answer. */
  readonly maxResponseBytes: number;
  /** Calls at a time; more wait. */
  readonly maxConcurrent: number;
  /** Sent as `Authorization: Bearer …`; none when undefined. */
  readonly bearerToken?: string;
  /** One or two, for a time in which secrets are exchanged: every call is signed with each; not at all when undefined. */
  readonly signingKeys?: readonly KeyObject[];
  /** Of an `https:` url; when undefined the runtime's own authorities are believed, and nothing is shown of ourselves. */
  readonly tls?: EndpointTls;
  /**
   * After how many attempts of reads in a row that found it unavailable none is made, and for how long, milliseconds; never when
   * undefined.
   */
  readonly breaker?: { readonly failures: number; readonly openMs: number };
  /** Whether it answers probes. */
  readonly probe: boolean;
}
