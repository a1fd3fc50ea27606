import type { Stop as WireStop } from '@tether/proto/clients/tether/v1/stop_pb.ts';
import { type Actor, actorFromWire } from './action.ts';
import { type StopKind, stopKind } from './enums.ts';
import { dateOf } from './time.ts';

/** What an operator stopped: while it stands nothing new is staged or claimed; what is under way is settled. */
export interface Stop {
  readonly tenantId: string;
  readonly kind: StopKind;
  /** The tool or the endpoint; not there when the whole tenant is stopped. */
  readonly name?: string;
  readonly reason: string;
  readonly stoppedBy?: Actor;
  readonly stoppedAt: Date;
}

export function stopFromWire({ tenantId, kind, name, reason, stoppedBy, stoppedAt }: WireStop): Stop {
  return {
    ...{ tenantId, kind: stopKind(kind), name: name || undefined, reason },
    ...{ stoppedBy: stoppedBy && actorFromWire(stoppedBy), stoppedAt: dateOf(stoppedAt) },
  };
}

/** The stop that an answer always has. */
export function stopOf(answer: { readonly stop?: WireStop }): Stop {
  if (answer.stop === undefined) throw new TypeError('the answer has no stop');
  return stopFromWire(answer.stop);
}
