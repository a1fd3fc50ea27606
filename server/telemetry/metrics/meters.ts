import type { Meter } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

/** What is counted and measured, and its text for Prometheus. */
export interface Meters {
  readonly meter: Meter;
  /** In Prometheus' text format, as it is now. */
  text(): Promise<string>;
  close(): Promise<void>;
}

/** Of this process alone: nothing is registered for anybody else to find. Names are in Prometheus' spelling already. */
export function createMeters(): Meters {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [reader] });
  const withoutTarget = true;
  const withoutScope = true;
  const serializer = new PrometheusSerializer(undefined, false, undefined, withoutTarget, withoutScope);
  return {
    meter: provider.getMeter('tether'),
    text: async () => serializer.serialize((await reader.collect()).resourceMetrics),
    close: () => provider.shutdown(),
  };
}

/** Upper bounds in seconds: from a call that asks memory to an endpoint that takes its minute. */
export const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
