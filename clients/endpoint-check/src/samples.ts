/** Arguments for the writes of a run: fresh ones each time, so that checks do not disturb each other. */
import { randomBytes } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Json, Settings } from './settings/settings.ts';

export interface Samples {
  /** Arguments that no write was made with, as RFC 8785 text. @throws NoneLeft */
  take(): string;
  /** Nothing was done with them: the next one may have them. */
  giveBack(args: string): void;
}

/** All arguments that were given are used up. */
export class NoneLeft extends Error {}

/**
 * One object is a template: `{{number}}` in a text of it becomes a number that counts up, and the text itself a number when it is
 * nothing else; `{{fresh}}` becomes a word that was never there. An object without either, and several, are used up one by one.
 */
export function createSamples({ args, firstNumber }: Pick<Settings, 'args' | 'firstNumber'>): Samples {
  const [only] = args;
  const template = args.length === 1 && only !== undefined && /\{\{(number|fresh)\}\}/.test(JSON.stringify(only));
  const ready = template ? [] : args.map((each) => canonicalText(filled(each, 0)));
  let number = firstNumber;
  return {
    take() {
      const next = ready.shift();
      if (next !== undefined) return next;
      if (!template)
        throw new NoneLeft(`All ${args.length} arguments that were given are used up; give more of --args.`);
      const made = canonicalText(filled(only, number));
      number += 1;
      return made;
    },
    giveBack(text) {
      ready.unshift(text);
    },
  };
}

/** RFC 8785 text, with what stands in it filled in. */
export function canonicalArgs(args: Json): string {
  return canonicalText(filled(args, 0));
}

function canonicalText(value: unknown): string {
  return canonicalize(value) ?? '{}';
}

function filled(value: unknown, number: number): unknown {
  if (typeof value === 'string') {
    if (value === '{{number}}') return number;
    return value
      .replaceAll('{{number}}', String(number))
      .replaceAll('{{fresh}}', () => `check-${randomBytes(6).toString('hex')}`);
  }
  if (Array.isArray(value)) return value.map((each) => filled(each, number));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, number)]));
}
