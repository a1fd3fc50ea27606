import { readFileSync } from 'node:fs';
import { createTetherClient, type TetherClient } from '@tether/client';
import { Refused } from '../told.ts';

export interface CallerOptions {
  /** The HTTP door. */
  readonly url: string;
  /** A file that holds the key, or the keys of a first start; undefined: TETHER_KEY. */
  readonly keyFile: string | undefined;
  readonly json: boolean;
}

/** Which of the keys of a first start is meant. */
type Role = 'approver' | 'operator';

/** A client with the key that was named. A key is never an argument: every user of the machine could see it there. */
export function callerOf({ url, keyFile }: CallerOptions, env: NodeJS.ProcessEnv, role: Role): TetherClient {
  return createTetherClient({ url: doorAt(url), key: keyOf(keyFile, env, role) });
}

/** The address of a server. One that holds a user or a password cannot be called, and every message would repeat it: it is not taken. */
function doorAt(url: string): string {
  if (url.includes('@'))
    throw new Refused('The address has something before an "@": who calls is told by the key alone.');
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url;
  throw new Refused(`${url} is no address like http://127.0.0.1:8080.`);
}

function keyOf(file: string | undefined, env: NodeJS.ProcessEnv, role: Role): string {
  if (file === undefined) {
    const key = env.TETHER_KEY?.trim() ?? '';
    if (key !== '') return sendable(key, 'TETHER_KEY');
    throw new Refused(
      'No key: set TETHER_KEY, or say which file holds it with --key-file (.tether/keys.json will do).',
    );
  }
  const text = read(file);
  if (!text.startsWith('{')) return sendable(text, file);
  const key: unknown = keysIn(text)[role];
  if (typeof key === 'string') return sendable(key, file);
  throw new Refused(`${file} holds no key of the role ${role}.`);
}

/** What cannot stand in a header is no key; what would say so there repeats it. */
function sendable(key: string, from: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new Refused(`${from} holds no key: one is visible ASCII characters, without spaces or further lines.`);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new Refused(`The key file ${file} cannot be read${code}.`, { cause: error });
  }
}

function keysIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text);
  } catch {
    // What stands there may be a key: it is not repeated.
    return {};
  }
}
