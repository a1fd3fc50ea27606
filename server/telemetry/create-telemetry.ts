import type { DestinationStream, Logger } from 'pino';
import type { ActionStore } from '../lifecycle/ports/action-store.ts';
import type { Log } from '../lifecycle/ports/process.ts';
import type { Survey } from '../lifecycle/ports/survey.ts';
import type { Telemetry } from '../lifecycle/ports/telemetry.ts';
import { createLog } from './create-log.ts';
import { actionMetrics } from './metrics/action-metrics.ts';
import { callMetrics } from './metrics/call-metrics.ts';
import { dispatchMetrics } from './metrics/dispatch-metrics.ts';
import { jobMetrics } from './metrics/job-metrics.ts';
import { type Load, loadMetrics } from './metrics/load-metrics.ts';
import { createMeters } from './metrics/meters.ts';
import { processMetrics } from './metrics/process-metrics.ts';
import { surveyMetrics } from './metrics/survey-metrics.ts';
import { createScopes } from './scopes.ts';
import { forwardingTracer } from './traces/forwarding.ts';
import { type Tracer, untraced } from './traces/trace.ts';
import { watchActions } from './watch-actions.ts';
import { watchCall } from './watch-call.ts';
import { watchDispatch } from './watch-dispatch.ts';
import { watchJob } from './watch-job.ts';

export interface TelemetryOptions {
  /** Of the log. */
  readonly level: string;
  /** Of the log; standard error by default. */
  readonly destination?: DestinationStream;
  /** Without it traces are handed on as they come, and nothing is recorded. */
  readonly openTracer?: ((log: Log) => Tracer) | undefined;
}

/** Everything that this process tells its operators. */
export interface OwnTelemetry extends Telemetry {
  readonly log: Logger;
  /** The same record, whose transitions are told. */
  watchActions(store: ActionStore): ActionStore;
  /** Looks at these whenever somebody asks for metrics. */
  observe(what: Load & { readonly survey: () => Promise<Survey> }): void;
  /** All metrics, in Prometheus' text format. */
  metricsText(): Promise<string>;
  close(): Promise<void>;
}

export function createTelemetry({ level, destination, openTracer }: TelemetryOptions): OwnTelemetry {
  const scopes = createScopes();
  const log = createLog(level, scopes, destination);
  const tracer = openTracer?.(log) ?? forwardingTracer;
  const meters = createMeters();
  const { meter } = meters;
  const calls = callMetrics(meter);
  const actions = actionMetrics(meter);
  const dispatches = dispatchMetrics(meter);
  const jobs = jobMetrics(meter);
  const stopLooking = processMetrics(meter);
  return {
    log,
    call(facts) {
      calls.begun(facts);
      return watchCall(facts, { scopes, log, tracer, ended: calls.ended });
    },
    repeated: actions.repeated,
    job: (name, sweep) => watchJob(name, sweep, { scopes, tracer, metrics: jobs }),
    dispatch(facts, call, outcomeOf) {
      const within = scopes.current()?.traced ?? untraced;
      return watchDispatch(facts, call, outcomeOf, { within, metrics: dispatches });
    },
    watchActions: (store) => watchActions(store, log, actions.moved),
    observe({ survey, ...load }) {
      loadMetrics(meter, load);
      surveyMetrics(meter, () => load.readiness.standing().checks.database === 'ok', survey, log);
    },
    metricsText: meters.text,
    async close() {
      stopLooking();
      await Promise.all([tracer.close(), meters.close()]);
    },
  };
}
