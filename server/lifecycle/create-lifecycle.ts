import type { ConfirmPorts } from './confirm.ts';
import { confirm } from './confirm.ts';
import { createExecutions } from './executions.ts';
import { get } from './get.ts';
import type { Lifecycle } from './lifecycle.ts';
import { replay } from './replay.ts';
import type { StagePorts } from './stage.ts';
import { stage } from './stage.ts';
import { sweepExpired, sweepOrphans } from './sweep.ts';

export type LifecyclePorts = Omit<ConfirmPorts, 'executions'> & StagePorts;

/** The lifecycle over its ports, with what the process itself needs of it. */
export interface RunningLifecycle extends Lifecycle {
  sweepExpired(): Promise<number>;
  sweepOrphans(): Promise<number>;
  /** Executions under way. */
  running(): number;
  /** Waits for them, at most so many ms; afterwards no settlement is retried any more. */
  drain(ms: number): Promise<void>;
}

export function createLifecycle(given: LifecyclePorts): RunningLifecycle {
  const executions = createExecutions();
  const ports = { ...given, executions };
  return {
    stage: (principal, input, signal) => stage(ports, principal, input, signal),
    confirm: (principal, input, signal) => confirm(ports, principal, input, signal),
    get: (principal, lookup) => get(ports.store, principal, lookup),
    replay: (principal, lookup) => replay(ports.store, principal, lookup),
    sweepExpired: () => sweepExpired(ports.store),
    sweepOrphans: () => sweepOrphans(ports.store),
    running: executions.running,
    drain: executions.drain,
  };
}
