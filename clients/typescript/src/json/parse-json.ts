import { JsonNumber, type JsonValue } from './json-number.ts';

/** A string of a JSON text, or a number; of a valid text nothing else contains digits. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** So many characters hold at most 15 digits, which a double keeps. */
const alwaysExact = 15;

/**
 * Reads JSON without changing a number: one that `JSON.parse` would round, or take for infinite, becomes a {@link JsonNumber}.
 * Throws SyntaxError for what is no JSON.
 */
export function parseJson(text: string): JsonValue {
  const plain: JsonValue = JSON.parse(text);
  if (!hasInexact(text)) return plain;
  const mark = markFor(text);
  const marked = text.replace(tokens, (token) => (isExact(token) ? token : JSON.stringify({ [mark]: token })));
  return JSON.parse(marked, (_, value: JsonValue) => {
    if (typeof value !== 'object' || value === null || !(mark in value)) return value;
    return new JsonNumber(String(Reflect.get(value, mark)));
  });
}

function hasInexact(text: string): boolean {
  for (const [token] of text.matchAll(tokens)) if (!isExact(token)) return true;
  return false;
}

/** A name that stands nowhere in the text. */
function markFor(text: string): string {
  let mark = '#';
  while (text.includes(mark)) mark += '#';
  return mark;
}

function isExact(token: string): boolean {
  if (token.startsWith('"')) return true;
  if (token.length <= alwaysExact && !/[eE]/.test(token)) return true;
  const value = Number(token);
  return Number.isFinite(value) && decimal(token) === decimal(String(value));
}

/** The decimal value of a number's text, in one spelling for all texts of one value: digits without zeros around, exponent. */
function decimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
