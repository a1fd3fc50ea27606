import { type DestinationStream, pino } from 'pino';

/** How much of what could not be written is kept until something can be written again, characters. */
const keptChars = 1_048_576;

/**
 * Where the log goes: standard error. Every line is written before the next thing happens, so that none is lost when the process
 * dies. One that cannot be written (a full disk, a terminal that is closed) waits for the next, and ends nothing: pino would let the
 * process die of it, with the dispatches that are under way.
 */
export function createLogOutput(): DestinationStream {
  const output = pino.destination({ dest: 2, sync: true, maxLength: keptChars });
  output.on('error', () => undefined);
  return output;
}
