import type { Finding, Seen } from './seen.ts';
import { hasCurrency, isMoney, namesUnit, wordsOf } from './words.ts';

const number = /^-?\d{1,18}(?:[.,]\d+)?$/;
const localTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;
const foreignDate = /^(?:\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\d{4}\/\d{1,2}\/\d{1,2})(?:$|[ T,])/;
const priceTag = /^(?:[€$£¥]\s?-?\d[\d.,]*|-?\d[\d.,]*\s?(?:[€$£¥]|[A-Z]{3}))$/;

const times = new Set([
  'at',
  'date',
  'time',
  'timestamp',
  'ts',
  'when',
  'since',
  'until',
  'from',
  'to',
  'deadline',
  'on',
]);
const timely = /(?:ed|es)$/; // opened, created, expires
const counts = new Set(['count', 'quantity', 'qty', 'returned', 'size', 'length', 'number_of', 'items']);

/** What a number, a text or a time on its own leaves to guess. */
export function scalarFinding({ path, name, value, beside }: Seen): Finding | undefined {
  if (typeof value === 'string') return textFinding(path, name, value);
  if (typeof value !== 'number') return undefined;
  if (isEpoch(name, value)) {
    const message = `${value} is a count of ${value > 1e11 ? 'milliseconds' : 'seconds'} that a reader has to convert: write ${isoOf(value)}.`;
    return { rule: 'epoch-time', path, message };
  }
  // A total without a fraction may be a count.
  const words = wordsOf(name);
  const maybeCount = Number.isInteger(value) && words.every((word) => word === 'total' || word === 'sum');
  if (isMoney(name) && !namesUnit(name) && !maybeCount && !hasCurrency(beside)) {
    const message = `${value} of what? Put the unit into the name, like ${name}_usd, or a currency beside it.`;
    return { rule: 'amount-without-unit', path, message };
  }
  return undefined;
}

function textFinding(path: string, name: string, value: string): Finding | undefined {
  if (localTime.test(value)) {
    return {
      rule: 'time-without-zone',
      path,
      message: `${value} is a time in no zone: write ${value.replace(' ', 'T')}Z, or with its offset.`,
    };
  }
  if (foreignDate.test(value)) {
    const message = `${JSON.stringify(short(value))} is read differently in different countries: write ISO 8601, like 2026-08-20 or 2026-08-20T18:41:07Z.`;
    return { rule: 'time-not-iso', path, message };
  }
  if (number.test(value) && isTimely(name) && isEpochNumber(Number(value))) {
    return {
      rule: 'epoch-time',
      path,
      message: `"${value}" is a count that a reader has to convert: write ${isoOf(Number(value))}.`,
    };
  }
  if (isNumberAsText(name, value)) {
    const message = `"${short(value)}" is a text, and is compared like one ("9" is more than "10"): send a number, with its unit in the name.`;
    return { rule: 'number-as-text', path, message };
  }
  return undefined;
}

function isNumberAsText(name: string, value: string): boolean {
  if (isMoney(name) && (number.test(value) || priceTag.test(value))) return true;
  if (!number.test(value)) return false;
  const words = wordsOf(name);
  // A version, a code or an id is no number, however many digits it has.
  return (
    words.some((word) => counts.has(word)) || (/[.]\d/.test(value) && !words.includes('version') && namesUnit(name))
  );
}

function isTimely(name: string): boolean {
  const words = wordsOf(name);
  return words.some((word) => times.has(word)) || timely.test(words.at(-1) ?? '');
}

function isEpoch(name: string, value: number): boolean {
  if (!Number.isInteger(value) || isMoney(name) || wordsOf(name).includes('id')) return false;
  return isEpochNumber(value) && (value > 1e11 || isTimely(name));
}

/** From 2001 to 2100, in seconds or milliseconds. */
function isEpochNumber(value: number): boolean {
  return (value >= 1e9 && value < 4_102_444_800) || (value >= 1e12 && value < 4_102_444_800_000);
}

function isoOf(epoch: number): string {
  return new Date(epoch > 1e11 ? epoch : epoch * 1000).toISOString();
}

function short(value: string): string {
  return value.length > 40 ? `${value.slice(0, 40)}…` : value;
}
