import { AsyncLocalStorage } from 'node:async_hooks';
import type { Traced } from './traces/trace.ts';

/** What is going on: a call that is answered, or a job. */
export interface Scope {
  /** Fields of every line that is logged in it. */
  readonly fields: Readonly<Record<string, string>>;
  readonly traced: Traced;
}

/** Which scope the running code is in, handed down by Node through everything that it awaits. */
export interface Scopes {
  current(): Scope | undefined;
  within<T>(scope: Scope, work: () => T): T;
}

export function createScopes(): Scopes {
  const storage = new AsyncLocalStorage<Scope>();
  return {
    current: () => storage.getStore(),
    within: (scope, work) => storage.run(scope, work),
  };
}
