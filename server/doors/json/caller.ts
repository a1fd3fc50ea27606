import type { ServerResponse } from 'node:http';
import { CallerGone } from '../caller-gone.ts';

/** A caller of plain HTTP: one who is gone is known by the connection, since there is no deadline to send. */
export interface Caller {
  readonly signal: AbortSignal;
  /** Says that the caller has gone, before the connection says so. */
  leave(): void;
}

/** Fires when the connection ends before the answer is written. */
export function callerOf(response: ServerResponse): Caller {
  const controller = new AbortController();
  const leave = () => controller.abort(new CallerGone('hung-up'));
  if (response.destroyed) leave();
  else
    response.once('close', () => {
      if (!response.writableFinished) leave();
    });
  return { signal: controller.signal, leave };
}
