import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Log } from '../../lifecycle/ports/process.ts';
import type { Carried } from '../../lifecycle/ports/telemetry.ts';
import { versionOf } from '../version.ts';
import { openExporter } from './open-exporter.ts';
import { samplerOf } from './sampler.ts';
import type { Attributes, Traced, Tracer } from './trace.ts';
import type { TraceExport } from './trace-export.ts';

/** How long a stop waits for the last spans to be sent, milliseconds. */
const lastSpansMs = 3_000;

/** Records spans and sends them by OTLP. Of this process alone: nothing is registered for anybody else to find. */
export function createExportingTracer(settings: TraceExport, log: Log): Tracer {
  const exporter = openExporter(settings, log);
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'tether', 'service.version': versionOf() }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(settings.sampler),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...settings.batch })],
  });
  const tracer = provider.getTracer('tether');

  function begin(
    name: string,
    kind: SpanKind,
    parent: Context,
    attributes: Attributes,
    startTime = Date.now(),
  ): Traced {
    return tracedOf(tracer.startSpan(name, { kind, attributes, startTime }, parent), parent);
  }

  function tracedOf(span: Span, parent: Context): Traced {
    const here = trace.setSpan(parent, span);
    return {
      get carried() {
        return injected(here);
      },
      traceId: span.spanContext().traceId,
      child: (name, attributes) => begin(name, SpanKind.CLIENT, here, attributes()),
      set: (name, value) => void span.setAttribute(name, value),
      ended(outcome, failed) {
        span.setAttribute('tether.outcome', outcome);
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  return {
    call: (name, incoming, attributes) => begin(name, SpanKind.SERVER, extracted(incoming), attributes()),
    job(name, attributes) {
      const startedAt = Date.now();
      let root: Traced | undefined;
      const open = () => (root ??= begin(name, SpanKind.INTERNAL, ROOT_CONTEXT, attributes(), startedAt));
      return {
        carried: {},
        traceId: undefined,
        child: (...called) => open().child(...called),
        set: (key, value) => root?.set(key, value),
        ended: (outcome, failed) => root?.ended(outcome, failed),
      };
    },
    async close() {
      const patience = AbortSignal.timeout(lastSpansMs);
      const late = new Promise<void>((resolve) => patience.addEventListener('abort', () => resolve()));
      await Promise.race([provider.shutdown(), late]);
    },
  };
}

const propagator = new W3CTraceContextPropagator();

function extracted(incoming: Carried): Context {
  return propagator.extract(ROOT_CONTEXT, incoming, {
    get: (carrier: Carried, key) => carrier[key],
    keys: (carrier: Carried) => Object.keys(carrier),
  });
}

function injected(context: Context): Carried {
  const carrier: Record<string, string> = {};
  propagator.inject(context, carrier, {
    set(into: Record<string, string>, key, value) {
      into[key] = value;
    },
  });
  return carrier;
}
