import { ConfigError } from '../config.ts';
import { CallError } from '../domain/error.ts';
import { StoreUnavailable } from '../lifecycle/ports/store-unavailable.ts';
import { type Fault, notDone, sayFault } from './fault.ts';
import type { Output } from './output.ts';

/** Why a command did not do what it was asked to, for the person who called it. */
export class Refused extends Error {}

/** What a command has to say. */
export interface Said {
  readonly json: object;
  readonly text: string;
  /** Exit code; default 0. */
  readonly code?: number;
}

/**
 * Does what a command is for, and says what came of it, as text or as one JSON object; resolves with the exit code: 0 done, 1
 * refused or the database is away.
 */
export async function told(
  { json }: { readonly json: boolean },
  output: Output,
  work: () => Promise<Said>,
): Promise<number> {
  try {
    const said = await work();
    output.out(json ? `${JSON.stringify(said.json, null, 2)}\n` : said.text);
    return said.code ?? 0;
  } catch (error) {
    sayFault(faultOf(error), json ? 'json' : 'text', output);
    return 1;
  }
}

/** Why it was not done. */
export function faultOf(error: unknown): Fault {
  if (error instanceof CallError) {
    const { retryAfterSeconds, ...detail } = error.detail;
    return { ...detail, retryAfterMs: retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000 };
  }
  if (error instanceof Refused) return notDone('REFUSED', error.message);
  if (error instanceof ConfigError) return notDone('INVALID_SETTINGS', error.message);
  const away = error instanceof StoreUnavailable;
  const inDoubt = away && error.mayHaveCommitted;
  const doubt = inDoubt ? ' It cannot be known whether it was done: list before you repeat it.' : '';
  return {
    code: 'UNAVAILABLE',
    message: `The database cannot be used: ${wordsOf(away ? error.cause : error)}.${doubt}`,
    effect: inDoubt ? 'UNKNOWN' : 'NONE',
    retryable: true,
  };
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it does not answer';
  // Node tells of several addresses that all failed without any words of its own.
  return error.message || ('code' in error ? String(error.code) : error.name);
}
