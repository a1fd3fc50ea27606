import type { Logger } from 'pino';
import type { JobTelemetry } from '../lifecycle/ports/telemetry.ts';

/** Does what is due and says how many rows it changed; harmless when run twice at once or too often. */
export type Sweep = () => Promise<number>;

/** What to sweep. */
export interface JobsOptions {
  readonly databaseUrl: string;
  /** By name; the name is the task's identifier in the database, so it must not change its meaning. */
  readonly tasks: Readonly<Record<string, Sweep>>;
  /** Seconds from the end of a sweep to the next one; default 5. Noticed up to 2 s late. */
  readonly everySeconds?: number;
  /** Seconds for tasks that have a pace of their own, by name. */
  readonly paces?: Readonly<Record<string, number>>;
  /** How long `stop` waits for running sweeps, in milliseconds; default 10,000. */
  readonly stopMs?: number;
  readonly logger: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  /** Silent by default. */
  readonly telemetry?: JobTelemetry;
}
