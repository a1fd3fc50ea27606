import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Meter } from '@opentelemetry/api';
import { versionOf } from '../version.ts';

/** How often the event loop is looked at, milliseconds; what is measured holds that too. */
const resolutionMs = 20;

/** The process itself; returns how to stop looking. */
export function processMetrics(meter: Meter): () => void {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  meter
    .createObservableGauge('tether_event_loop_delay_seconds', {
      description: 'How late the event loop was since it was last asked: the median, 99 in 100, and the worst.',
    })
    .addCallback((result) => {
      for (const [quantile, nanoseconds] of [
        ['0.5', delays.percentile(50)],
        ['0.99', delays.percentile(99)],
        ['1', delays.max],
      ] as const)
        result.observe(delays.count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - resolutionMs / 1e3), { quantile });
      delays.reset();
    });
  meter
    .createObservableCounter('process_cpu_seconds_total', { description: 'Processor time of this process.' })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage();
      result.observe((user + system) / 1e6);
    });
  gauge(meter, 'process_resident_memory_bytes', 'Memory of this process.', () => process.memoryUsage.rss());
  gauge(meter, 'nodejs_heap_used_bytes', 'Memory of its objects.', () => process.memoryUsage().heapUsed);
  const startedAt = Date.now() / 1000 - process.uptime();
  gauge(meter, 'process_start_time_seconds', 'When it started, since the epoch.', () => startedAt);
  const labels = { version: versionOf(), node: process.versions.node };
  meter
    .createObservableGauge('tether_build_info', { description: 'What runs here; always 1.' })
    .addCallback((result) => result.observe(1, labels));
  return () => delays.disable();
}

function gauge(meter: Meter, name: string, description: string, value: () => number): void {
  meter.createObservableGauge(name, { description }).addCallback((result) => result.observe(value()));
}
