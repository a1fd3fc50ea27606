import { timeIsUp } from './transport.ts';

/** Gives the work a signal that fires when the time is up (its reason is `timeIsUp`), or when the caller leaves. */
export async function withinTime<T>(
  ms: number,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(timeIsUp), ms);
  const leave = () => stop.abort(caller?.reason);
  caller?.addEventListener('abort', leave, { once: true });
  if (caller?.aborted) leave();
  try {
    return await work(stop.signal);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', leave);
  }
}
