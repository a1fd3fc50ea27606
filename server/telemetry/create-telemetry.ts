import type { DestinationStream, Logger } from 'pino';
import type { ActionStore } from '../lifecycle/ports/action-store.ts';
import type { Telemetry } from '../lifecycle/ports/telemetry.ts';
import { createLog } from './create-log.ts';
import { createScopes } from './scopes.ts';
import { watchActions } from './watch-actions.ts';
import { watchCall } from './watch-call.ts';

export interface TelemetryOptions {
  /** Of the log. */
  readonly level: string;
  /** Of the log; standard error by default. */
  readonly destination?: DestinationStream;
}

/** Everything that this process tells its operators. */
export interface OwnTelemetry extends Telemetry {
  readonly log: Logger;
  /** The same record, whose transitions are told. */
  watchActions(store: ActionStore): ActionStore;
}

export function createTelemetry({ level, destination }: TelemetryOptions): OwnTelemetry {
  const scopes = createScopes();
  const log = createLog(level, scopes, destination);
  return {
    log,
    call: (facts) => watchCall(facts, scopes, log, () => undefined),
    repeated: () => undefined,
    job: (name, sweep) => scopes.within({ fields: { job: name } }, sweep),
    watchActions: (store) => watchActions(store, log, () => undefined),
  };
}
