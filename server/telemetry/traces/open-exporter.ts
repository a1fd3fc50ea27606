import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '../../lifecycle/ports/process.ts';
import type { TraceExport } from './trace-export.ts';

/**
 * Sends spans by OTLP over HTTP. Where to, with which headers, certificates and time-outs, the library reads from the standard
 * variables by itself. That they do not arrive is told to the log when it begins and when it ends.
 */
export function openExporter({ protocol }: TraceExport, log: Log): SpanExporter {
  const exporter: SpanExporter = protocol === 'http/json' ? new JsonExporter() : new ProtoExporter();
  let failing = false;
  return {
    export(spans, told) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined || result.code !== 0;
        if (failed && !failing) log.warn({ err: result.error }, 'traces could not be sent; they are lost');
        if (!failed && failing) log.info({}, 'traces are sent again');
        failing = failed;
        told(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
