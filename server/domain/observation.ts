/** What a precondition's read answered, in a form that can be kept and compared (DESIGN §2.1 step 4, §2.2 step 7). */
import { pointerToken, valueAt } from './json-pointer.ts';

/** One place where two answers differ; a side is null when there is nothing there. */
export interface Difference {
  /** JSON Pointer into the read's answer. */
  readonly pointer: string;
  readonly beforeJson: string | null;
  readonly nowJson: string | null;
}

/** A number as its text, where a double would change it. */
class Exact {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Parses JSON and loses no digit: a number that a double cannot hold stays as it is written. */
function parseExactly(text: string): unknown {
  return JSON.parse(text, function keep(this: unknown, _key: string, value: unknown, context?: { source?: string }) {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    const safe = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    return safe ? value : new Exact(context.source);
  });
}

/** RFC 8785 text, but for numbers that a double cannot hold. */
function canonicalText(value: unknown): string {
  if (value instanceof Exact) return value.text;
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonicalText(each)}`).join(',')}}`;
}

/** The read's answer as it is kept: the whole of it, or the declared fields by their pointers. `answer` is valid JSON. */
export function observationOf(answer: string, fields: readonly string[] | null): string {
  const value = parseExactly(answer);
  if (fields === null) return canonicalText(value);
  const present = fields.flatMap((pointer): [string, unknown][] => {
    const found = valueAt(value, pointer);
    return found === undefined ? [] : [[pointer, found]];
  });
  return canonicalText(Object.fromEntries(present));
}

/** Where two observations differ; with declared fields one entry a field, else down to the places that changed. */
export function differencesOf(before: string, now: string, fields: readonly string[] | null): Difference[] {
  if (before === now) return [];
  const [then, today] = [parseExactly(before), parseExactly(now)];
  if (fields === null) return differ(then, today, '');
  return fields.flatMap((pointer) => {
    const [a, b] = [ownValue(then, pointer), ownValue(today, pointer)];
    return same(a, b) ? [] : [difference(pointer, a, b)];
  });
}

function differ(before: unknown, now: unknown, pointer: string): Difference[] {
  if (same(before, now)) return [];
  if (!isContainer(before) || !isContainer(now) || Array.isArray(before) !== Array.isArray(now)) {
    return [difference(pointer, before, now)];
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...keys].flatMap((key) => differ(ownValue(before, key), ownValue(now, key), pointer + pointerToken(key)));
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Exact);
}

function ownValue(value: unknown, key: string): unknown {
  return isContainer(value) && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

function same(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return a === b;
  return canonicalText(a) === canonicalText(b);
}

function difference(pointer: string, before: unknown, now: unknown): Difference {
  const text = (value: unknown) => (value === undefined ? null : canonicalText(value));
  return { pointer, beforeJson: text(before), nowJson: text(now) };
}

/** Differences in a sentence, for people and models; the first few of many. */
export function differencesText(differences: readonly Difference[]): string {
  const most = 5;
  const told = differences.slice(0, most).map(({ pointer, beforeJson, nowJson }) => {
    return `${pointer || 'the answer'} was ${clipped(beforeJson)} and is ${clipped(nowJson)}`;
  });
  const rest = differences.length > most ? ` and ${differences.length - most} more` : '';
  return `${told.join('; ')}${rest}`;
}

function clipped(json: string | null): string {
  if (json === null) return 'absent';
  return json.length > 120 ? `${json.slice(0, 119)}…` : json;
}
