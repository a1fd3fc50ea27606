/**
 * The work's answer, or the signal's reason if that comes first; then `left` is told how the work ended, since nobody else waits
 * for it any more.
 */
export function answerOrLeave<T>(work: Promise<T>, signal: AbortSignal, left: (thrown?: unknown) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      reject(signal.reason);
      work.then(() => left(), left);
    };
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    const stay = () => signal.removeEventListener('abort', leave);
    work.then(
      (value) => {
        stay();
        resolve(value);
      },
      (thrown: unknown) => {
        stay();
        reject(thrown);
      },
    );
  });
}
