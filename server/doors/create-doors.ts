import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Authenticator } from '../lifecycle/ports/authenticator.ts';
import type { Readiness } from '../lifecycle/ports/readiness.ts';
import type { CallTelemetry } from '../lifecycle/ports/telemetry.ts';
import { createAdmission } from './admission/admission.ts';
import { openGrpcDoor } from './grpc/grpc-door.ts';
import { openHttpDoor } from './http/http-door.ts';
import type { Metrics } from './http/metrics.ts';
import { limitsWith, type SomeLimits } from './limits.ts';
import { createPipeline } from './pipeline.ts';
import { createRpcs, type Verbs } from './rpc/rpcs.ts';
import { openCertificates, type TlsFiles } from './tls/certificates.ts';
import { isLoopback } from './tls/loopback.ts';

export interface DoorsOptions extends Verbs {
  readonly authenticator: Authenticator;
  readonly readiness: Readiness;
  readonly telemetry: CallTelemetry;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Address that both doors bind. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly grpcPort: number;
  /** 0 picks a free one. */
  readonly httpPort: number;
  /** Origins whose pages may call the HTTP door; none when it is not said. */
  readonly corsOrigins?: readonly string[];
  /** What both doors speak TLS with; plain text when it is not said. */
  readonly tls?: TlsFiles | null;
  /** Where other than usual. */
  readonly limits?: SomeLimits;
}

/** Both doors, open. */
export interface Doors {
  /** `host:port`. */
  readonly grpcAddress: string;
  readonly grpcPort: number;
  /** Base URL. */
  readonly httpAddress: string;
  readonly httpPort: number;
  /**
   * Refuses new calls, lets those that run finish (also those whose caller has left), then closes. What still runs after
   * `graceMs` milliseconds loses its connection; the lifecycle settles what it dispatched. A second close waits for the first.
   */
  close(graceMs: number): Promise<void>;
  /** Reads the files of TLS again; connections stay, and with any problem so do the certificates. */
  renewCertificates(): Promise<void>;
}

const plainText =
  'the doors speak plain text to a network: whoever listens in can read keys and confirm with them. Set TETHER_TLS_CERT and TETHER_TLS_KEY, or let only a proxy that ends TLS reach them';

/** Opens both doors over one pipeline (DESIGN §6). Rejects, with neither open, when one of them cannot listen. */
export async function createDoors(options: DoorsOptions): Promise<Doors> {
  const { authenticator, readiness, telemetry, logger, host } = options;
  const { corsOrigins = [] } = options;
  const limits = limitsWith(options.limits);
  const rpcs = createRpcs(options);
  const pipeline = createPipeline({
    admission: createAdmission(authenticator, limits, logger),
    readiness,
    telemetry,
    logger,
  });
  const certificates = options.tls ? await openCertificates(options.tls, logger) : undefined;
  if (certificates === undefined && !isLoopback(host)) logger.warn({ host }, plainText);
  const grpc = await openGrpcDoor({
    rpcs,
    pipeline,
    readiness,
    limits,
    certificates,
    logger,
    host,
    port: options.grpcPort,
  });
  const http = await openHttpDoor({
    rpcs,
    pipeline,
    readiness,
    metrics: options.metrics,
    limits,
    corsOrigins,
    certificates,
    logger,
    host,
    port: options.httpPort,
  }).catch(async (error: unknown) => {
    await grpc.close(0);
    throw error;
  });

  let closed: Promise<void> | undefined;

  async function closeBoth(graceMs: number): Promise<void> {
    const drained = pipeline.drain().then(() => true);
    const patience = new AbortController();
    const inTime = Promise.race([drained, delay(graceMs, false, patience)]).finally(() => patience.abort());
    const [all] = await Promise.all([inTime, grpc.close(graceMs), http.close(graceMs)]);
    if (!all) logger.warn({ grace_ms: graceMs }, 'calls were still running when the grace was over');
  }

  const shownHost = host.includes(':') ? `[${host}]` : host;
  return {
    grpcAddress: `${shownHost}:${grpc.port}`,
    grpcPort: grpc.port,
    httpAddress: `${certificates === undefined ? 'http' : 'https'}://${shownHost}:${http.port}`,
    httpPort: http.port,
    close: (graceMs) => (closed ??= closeBoth(graceMs)),
    renewCertificates: async () => certificates?.reload(),
  };
}
