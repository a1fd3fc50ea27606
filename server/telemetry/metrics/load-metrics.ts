import type { Meter } from '@opentelemetry/api';
import type { EndpointLoad } from '../../lifecycle/ports/dispatcher.ts';
import type { Readiness } from '../../lifecycle/ports/readiness.ts';
import type { PoolLoad } from '../../lifecycle/ports/survey.ts';

/** What this server has under way just now. */
export interface Load {
  readonly readiness: Readiness;
  readonly pool: () => PoolLoad;
  readonly endpoints: () => readonly EndpointLoad[];
}

export function loadMetrics(meter: Meter, { readiness, pool, endpoints }: Load): void {
  meter
    .createObservableGauge('tether_ready', { description: 'Whether this server is ready, as /readyz tells it.' })
    .addCallback((result) => result.observe(readiness.standing().status === 'ready' ? 1 : 0));
  meter
    .createObservableGauge('tether_database_up', { description: 'Whether the database answers.' })
    .addCallback((result) => result.observe(readiness.standing().checks.database === 'unreachable' ? 0 : 1));
  meter
    .createObservableGauge('tether_database_connections', {
      description: 'Connections of the pool, and who waits for one.',
    })
    .addCallback((result) => {
      for (const [state, count] of Object.entries(pool())) result.observe(count, { state });
    });
  meter
    .createObservableGauge('tether_endpoint_calls', {
      description: 'Calls of endpoints that are under way, and that wait for a place.',
    })
    .addCallback((result) => {
      for (const { endpoint, underWay, waiting } of endpoints()) {
        result.observe(underWay, { endpoint, state: 'under_way' });
        result.observe(waiting, { endpoint, state: 'waiting' });
      }
    });
}
