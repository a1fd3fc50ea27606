import { TetherError } from '@tether/client';
import { type Form, notDone, sayFault } from '../fault.ts';
import type { Output } from '../output.ts';
import { Refused } from '../told.ts';
import type { CallerOptions } from './caller.ts';

/** What a command has to say, and the code that it exits with. */
export interface Answer {
  readonly json: object;
  readonly text: string;
  readonly code: 0 | 1 | 3;
}

/** For an outcome that nobody can know by now. */
export const unknownOutcome = 3;

/**
 * Does what a command is for, and says what came of it; resolves with the exit code: 0 done, 1 refused or it did not succeed, 3
 * nobody can know what came of it.
 */
export async function answered(
  { json, url }: Pick<CallerOptions, 'json' | 'url'>,
  output: Output,
  work: () => Promise<Answer>,
): Promise<number> {
  try {
    const answer = await work();
    output.out(json ? `${JSON.stringify(answer.json, null, 2)}\n` : answer.text);
    return answer.code;
  } catch (error) {
    return failed(error, url, json ? 'json' : 'text', output);
  }
}

/** Says why a call to `url` failed, and what to look at when nobody answered there; resolves with the exit code. */
export function failed(error: unknown, url: string, form: Form, output: Output): number {
  if (error instanceof Refused) {
    sayFault(notDone('REFUSED', error.message), form, output);
    return 1;
  }
  if (!(error instanceof TetherError)) throw error;
  const { code, effect, retryable, retryAfterMs } = error;
  const where = `Is a server up, and ${url} its HTTP door? --url and TETHER_URL say where it is.`;
  const message = error.answered || code === 'INVALID_REQUEST' ? error.message : `${error.message} ${where}`;
  sayFault({ code, message, effect, retryable, retryAfterMs }, form, output, `${code}: ${message}`);
  return error.effect === 'UNKNOWN' ? unknownOutcome : 1;
}
