/** A contender runs lifecycles in a process of its own, so that none is measured with another's garbage. */
import { announceReady, answerQuestions, type Child, startChild } from './children.ts';
import { type Load, type Measured, runLoad } from './load.ts';

/** What every contender may need to know, by the names under which the child gets it. */
export interface Surroundings {
  readonly BENCH_DATABASE_URL: string;
  readonly BENCH_ENDPOINT_URL: string;
  readonly BENCH_GRPC_ADDRESS: string;
  readonly BENCH_HTTP_URL: string;
  readonly BENCH_AGENT_KEY: string;
  readonly BENCH_APPROVER_KEY: string;
  /** `yes`: each confirm carries an idempotency key. Default: none. */
  readonly BENCH_CONFIRM_KEY?: string;
  /** The actions that are read by who reads single ones, with spaces between. */
  readonly BENCH_ACTION_IDS?: string;
  /** How many there are, for who looks at all of them. */
  readonly BENCH_ACTIONS?: string;
}

/** Connections to PostgreSQL: pg's own default, and the server's. Everybody has the same. */
export const poolSize = 10;

export type Contender = Child<Load, Measured>;

export function startContender(program: string, surroundings: Surroundings): Promise<Contender> {
  return startChild<Load, Measured>(program, { ...surroundings });
}

/** In a child: offers a lifecycle to be run under load. */
export function contend(lifecycle: () => Promise<void>): void {
  answerQuestions<Load, Measured>((load) => runLoad(lifecycle, load));
  announceReady('');
}
