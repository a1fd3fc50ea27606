import { answerOrLeave } from './answer-or-leave.ts';

/** A source of answers that is being passed on. */
export interface Relay<T> {
  /** Yields what the source yields, asking it for one only when asked for one; throws the signal's reason when that fires. */
  readonly answers: AsyncGenerator<T, void>;
  /** Resolves when the source has ended, whoever ended it. Never rejects. */
  readonly ended: Promise<void>;
}

export interface RelayOptions {
  /** Ends the source, whether or not anybody is asking: who reads slowly, or not at all, holds nothing open. */
  readonly signal: AbortSignal;
  /** Told how the step ended that was under way when the signal fired, and of a source that throws while it is ended. */
  readonly left: (thrown?: unknown) => void;
}

/**
 * Passes a source on, and sees to it that the source is ended once: by itself, by the signal, or by a reader that stops. A source
 * that is in the middle of a step ends after it.
 */
export function relay<T>(source: AsyncIterable<T>, { signal, left }: RelayOptions): Relay<T> {
  const iterator = source[Symbol.asyncIterator]();
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let ending = false;

  function end(): void {
    if (ending) return;
    ending = true;
    signal.removeEventListener('abort', end);
    Promise.resolve(iterator.return?.()).then(
      () => resolve(),
      (thrown: unknown) => {
        left(thrown);
        resolve();
      },
    );
  }

  async function* answers(): AsyncGenerator<T, void> {
    try {
      for (;;) {
        const step = await answerOrLeave(iterator.next(), signal, left);
        if (step.done === true) return;
        yield step.value;
        signal.throwIfAborted();
      }
    } finally {
      end();
    }
  }

  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return { answers: answers(), ended };
}
