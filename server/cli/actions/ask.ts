import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/** Where a person is: what they type, and where they read. */
export interface Person {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Asks a person; true only if they type "yes". Who leaves instead (Ctrl-C, Ctrl-D, a terminal that closes) has not said it. */
export async function saidYes(question: string, { input, output }: Person): Promise<boolean> {
  const terminal = createInterface({ input, output });
  const left = new AbortController();
  try {
    const gone = once(terminal, 'close', { signal: left.signal }).then(() => undefined);
    // The question never ends, or ends in an error, when the person leaves: whichever it is, they have gone.
    const said = await Promise.race([terminal.question(question).catch(() => undefined), gone]);
    if (said === undefined) output.write('\n');
    return said?.trim().toLowerCase() === 'yes';
  } finally {
    left.abort();
    terminal.close();
  }
}
