import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CredentialVerbs } from '../lifecycle/credentials/credential-verbs.ts';
import type { Lifecycle } from '../lifecycle/lifecycle.ts';
import type { Authenticator } from '../lifecycle/ports/authenticator.ts';
import type { StopVerbs } from '../lifecycle/stops/stop-verbs.ts';
import { openGrpcDoor } from './grpc/grpc-door.ts';
import { openHttpDoor } from './http/http-door.ts';
import type { DoorLimits } from './limits.ts';
import { defaultLimits } from './limits.ts';
import { createPipeline } from './pipeline.ts';
import { createRpcs } from './rpc/rpcs.ts';

export interface DoorsOptions {
  readonly lifecycle: Lifecycle;
  readonly credentials: CredentialVerbs;
  readonly stops: StopVerbs;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  /** Address that both doors bind. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly grpcPort: number;
  /** 0 picks a free one. */
  readonly httpPort: number;
  /** Origins whose pages may call the HTTP door; none when it is not said. */
  readonly corsOrigins?: readonly string[];
  readonly limits?: DoorLimits;
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
}

/** Opens both doors over one pipeline (DESIGN §6). Rejects, with neither open, when one of them cannot listen. */
export async function createDoors(options: DoorsOptions): Promise<Doors> {
  const { lifecycle, credentials, stops, authenticator, logger, host } = options;
  const { corsOrigins = [], limits = defaultLimits } = options;
  const rpcs = createRpcs({ lifecycle, credentials, stops });
  const pipeline = createPipeline(authenticator, logger);
  const grpc = await openGrpcDoor({ rpcs, pipeline, limits, host, port: options.grpcPort });
  const http = await openHttpDoor({
    rpcs,
    pipeline,
    limits,
    corsOrigins,
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
    if (!all) logger.warn({ graceMs }, 'calls were still running when the grace was over');
  }

  const shownHost = host.includes(':') ? `[${host}]` : host;
  return {
    grpcAddress: `${shownHost}:${grpc.port}`,
    grpcPort: grpc.port,
    httpAddress: `http://${shownHost}:${http.port}`,
    httpPort: http.port,
    close: (graceMs) => (closed ??= closeBoth(graceMs)),
  };
}
