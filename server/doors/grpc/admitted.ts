import type { Principal } from '../../domain/principal.ts';
import type { Call } from '../call.ts';
import type { Pipeline } from '../pipeline.ts';

/** A call that was let in and whose request was read, and what it is answered with. */
export interface Admitted {
  readonly call: Call;
  readonly principal: Principal;
  readonly pipeline: Pipeline;
  /** To be told before the call is ended from here: its end is not its caller's leaving then. */
  readonly ended: () => void;
}
