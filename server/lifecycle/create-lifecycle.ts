import { amend } from './amend.ts';
import { call } from './call.ts';
import { type ConfirmPorts, confirm } from './confirm.ts';
import { confirmPlan } from './confirm-plan.ts';
import { createExecutions } from './executions.ts';
import { get } from './get.ts';
import type { Lifecycle } from './lifecycle.ts';
import { list } from './list.ts';
import { listEvents } from './list-events.ts';
import { listTools } from './list-tools.ts';
import type { EventLog } from './ports/events.ts';
import { type RepeatTelemetry, untold } from './ports/telemetry.ts';
import { probeNow, sweepProbes } from './probe.ts';
import { recheck } from './recheck.ts';
import { reject } from './reject.ts';
import { replay } from './replay.ts';
import { resolve } from './resolve.ts';
import { createSnapshotPages } from './snapshot-pages.ts';
import { type StagePorts, stage } from './stage.ts';
import { type Retention, sweepExpired, sweepOrphans, sweepRetention } from './sweep.ts';
import { sweepVerifications } from './verify.ts';
import { watch } from './watch.ts';

export type LifecyclePorts = Omit<ConfirmPorts & StagePorts, 'executions' | 'telemetry'> & {
  /** Silent by default. */
  readonly telemetry?: RepeatTelemetry;
} & { readonly events: EventLog; readonly retention: Retention };

/** What is done without anybody asking: each makes what is due by then, and returns how much it was. */
export interface Sweeps {
  expire(): Promise<number>;
  orphans(): Promise<number>;
  probes(): Promise<number>;
  verifications(): Promise<number>;
  retention(): Promise<number>;
}

/** The lifecycle over its ports, with what the process itself needs of it. */
export interface RunningLifecycle extends Lifecycle {
  readonly sweeps: Sweeps;
  /** Executions under way. */
  running(): number;
  /** Waits for them, at most so many ms; afterwards no settlement is retried any more. */
  drain(ms: number): Promise<void>;
  /** Waits for them, at most so many ms. */
  ended(ms: number): Promise<void>;
}

export function createLifecycle(given: LifecyclePorts): RunningLifecycle {
  const executions = createExecutions();
  const pages = createSnapshotPages(given.store, given.clock);
  const ports = { telemetry: untold, ...given, executions, pages };
  const { store, catalog } = ports;
  return {
    listTools: () => listTools(catalog),
    call: (principal, input, signal) => call(ports, principal, input, signal),
    stage: (principal, input, signal) => stage(ports, principal, input, signal),
    confirm: (principal, input, signal) => confirm(ports, principal, input, signal),
    confirmPlan: (principal, entries, signal) => confirmPlan(ports, principal, entries, signal),
    get: (principal, lookup) => get(store, principal, lookup),
    replay: (principal, lookup) => replay(store, principal, lookup),
    list: (principal, input) => list(store, principal, input),
    watch: (principal, input, signal) => watch(ports, principal, input, signal),
    reject: (principal, input) => reject(store, principal, input),
    amend: (principal, input, signal) => amend(ports, principal, input, signal),
    resolve: (principal, input) => resolve(ports, principal, input),
    probeNow: (principal, actionId, signal) => probeNow(ports, principal, { by: 'action-id', actionId }, signal),
    recheck: (principal, actionId, signal) => recheck(ports, principal, actionId, signal),
    listEvents: (principal, input) => listEvents(ports, principal, input),
    sweeps: {
      expire: () => sweepExpired(store, catalog),
      orphans: () => sweepOrphans(store, catalog),
      probes: () => sweepProbes(ports),
      verifications: () => sweepVerifications(ports),
      retention: () => sweepRetention(store, ports.retention),
    },
    running: executions.running,
    drain: executions.drain,
    ended: executions.ended,
  };
}
