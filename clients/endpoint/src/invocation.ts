/** What Tether asks, in the words of no transport. */
import type { Args, Tenant } from './tool.ts';

export interface Invocation {
  /** 32 hex digits. */
  readonly requestId: string;
  readonly tool: string;
  readonly args: Args;
  readonly tenant: Tenant;
  readonly mode: 'read' | 'execute';
  /** Empty for a read. */
  readonly actionId: string;
  readonly attempt: number;
  readonly deadline: Date;
}

export type ProbeQuestion = Omit<Invocation, 'args' | 'mode' | 'deadline'>;

/** What cannot be a call of Tether's: nothing is done about it. */
export class MalformedCall extends Error {
  /** The member of the call that is at fault. */
  readonly field: string | undefined;

  constructor(message: string, field?: string) {
    super(message);
    this.name = 'MalformedCall';
    this.field = field;
  }
}

/**
 * What every call must have, whatever carried it. `header` is the value of X-Tether-Idempotency-Key, if it came through.
 *
 * @throws MalformedCall with what is wrong.
 */
export function assertCall(call: ProbeQuestion, header: string | null | undefined): void {
  const { requestId, tool, attempt } = call;
  if (requestId === '') throw new MalformedCall('request_id must be there: it is the idempotency key.', 'request_id');
  if (header && header !== requestId) {
    throw new MalformedCall('The header X-Tether-Idempotency-Key must be equal to request_id.', 'request_id');
  }
  if (tool === '') throw new MalformedCall('tool must be the name of a tool.', 'tool');
  if (!Number.isInteger(attempt) || attempt < 1) throw new MalformedCall('attempt must be 1 or more.', 'attempt');
}
