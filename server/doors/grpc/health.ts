import type { Server, ServerWritableStream } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import type { Readiness, Standing } from '../../lifecycle/ports/readiness.ts';

/** The standard health service. Anybody may ask; it tells of this server, and of no tenant. */
export interface Health {
  /** From now on NOT_SERVING: told to those who watch, whose streams then end, since they have no end of their own. */
  stop(): void;
}

/**
 * Serves `grpc.health.v1.Health`: SERVING for the server as a whole (the empty name) and for each of the services while it is
 * ready, else NOT_SERVING.
 */
export function addHealth(
  server: Pick<Server, 'addService'>,
  services: readonly string[],
  readiness: Readiness,
): Health {
  const names = ['', ...services];
  const statusOf = ({ status }: Standing): 'SERVING' | 'NOT_SERVING' =>
    status === 'ready' ? 'SERVING' : 'NOT_SERVING';
  let told = statusOf(readiness.standing());
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, told])));
  const tell = (status: typeof told) => {
    if (status === told) return;
    told = status;
    for (const name of names) health.setStatus(name, status);
  };
  const unfollow = readiness.follow((standing) => tell(statusOf(standing)));
  const watching = new Set<ServerWritableStream<unknown, unknown>>();
  health.addToServer({
    addService(definition, implementation) {
      const { watch } = implementation;
      if (watch === undefined) throw new Error('the health service has no watch');
      server.addService(definition, {
        ...implementation,
        watch(call: ServerWritableStream<unknown, unknown>) {
          watching.add(call);
          call.once('cancelled', () => watching.delete(call));
          // The library types every handler as any of the four kinds; this one is a server stream by its definition.
          (watch as (call: ServerWritableStream<unknown, unknown>) => void)(call);
        },
      });
    },
  });
  return {
    stop() {
      unfollow();
      tell('NOT_SERVING');
      for (const call of watching) call.end();
      watching.clear();
    },
  };
}
