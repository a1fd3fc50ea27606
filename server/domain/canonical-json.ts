/**
 * Arguments as JSON that travels safely (DESIGN §2.1 step 2), and the RFC 8785 text that preview, digest and dispatch
 * share. What is refused is what two readers could take for different things: duplicate keys, lone surrogates, numbers
 * that a double cannot hold, texts too large or too deep to hand on.
 *
 * Two roads lead to the same verdict. The quick one leans on JSON.parse and can only accept; whatever it does not
 * accept takes the careful one, which reads token by token and names the first fault.
 */
import serialise from 'canonicalize';
import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { echoOf, fieldOf } from './argument-field.ts';
import type { ArgumentFault } from './tool.ts';

/** Bytes of UTF-8, of the text as given and of its canonical form. */
export const maxArgumentBytes = 256 * 1024;

/** Objects and arrays within each other, the arguments object counted. */
const maxArgumentDepth = 64;

/** `text` is RFC 8785 text; `value` is what it says, an object. */
export type CanonicalArguments =
  | { readonly kind: 'ok'; readonly text: string; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly fault: ArgumentFault };

/** RFC 8785 text of a value of our own making. Throws for what JSON cannot say: that is a fault of ours, not a caller's. */
export function canonicalise(value: unknown): string {
  const text = serialise(value);
  if (text === undefined) throw new TypeError(`no JSON form: ${typeof value}`);
  return text;
}

/** Reads arguments strictly; empty text means `{}`. */
export function canonicaliseArguments(text: string): CanonicalArguments {
  return acceptQuickly(text) ?? canonicaliseCarefully(text);
}

/** The careful road alone; exported so that a test can hold the quick one against it. */
export function canonicaliseCarefully(text: string): CanonicalArguments {
  if (text === '') return { kind: 'ok', text: '{}', value: {} };
  const bytes = Buffer.byteLength(text);
  if (bytes > maxArgumentBytes) return invalid(tooLarge('are', bytes));
  const fault = firstFault(text);
  if (fault !== undefined) return invalid(fault);
  const value: unknown = JSON.parse(text);
  const canonical = canonicalise(value);
  const canonicalBytes = Buffer.byteLength(canonical);
  if (canonicalBytes > maxArgumentBytes) return invalid(tooLarge('come in canonical form to', canonicalBytes));
  return { kind: 'ok', text: canonical, value };
}

function acceptQuickly(text: string): CanonicalArguments | undefined {
  if (Buffer.byteLength(text) > maxArgumentBytes || !text.isWellFormed()) return undefined;
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const written = keysWritten(text);
  if (written === undefined || keysKept(value, 1) !== written) return undefined;
  const canonical = canonicalise(value);
  return Buffer.byteLength(canonical) > maxArgumentBytes ? undefined : { kind: 'ok', text: canonical, value };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the careful road says what is wrong with it
  }
}

/** How many keys a valid JSON text writes; undefined when one of its numbers would change. */
function keysWritten(text: string): number | undefined {
  let keys = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) {
      for (at++; text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++;
    } else if (unit === 0x3a) {
      keys++;
    } else if (unit === 0x2d || (unit >= 0x30 && unit <= 0x39)) {
      const start = at;
      while (isOfNumber(text.charCodeAt(at + 1))) at++;
      if (numberFault(text.slice(start, at + 1)) !== undefined) return undefined;
    }
  }
  return keys;
}

function isOfNumber(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || unit === 0x2e || (unit | 0x20) === 0x65 || unit === 0x2b || unit === 0x2d;
}

/** How many keys are left after parsing, fewer than written when one came twice; NaN for what may not travel. */
function keysKept(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.isWellFormed() ? 0 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > maxArgumentDepth) return Number.NaN;
  let kept = 0;
  if (Array.isArray(value)) {
    for (const item of value) kept += keysKept(item, depth + 1);
    return kept;
  }
  for (const [key, member] of Object.entries(value)) {
    kept += key.isWellFormed() ? 1 + keysKept(member, depth + 1) : Number.NaN;
  }
  return kept;
}

/** Thrown through jsonc-parser's visitor: its descent is recursive and would not stop by itself. */
class Found extends Error {
  readonly fault: ArgumentFault;

  constructor(fault: ArgumentFault) {
    super(fault.message);
    this.fault = fault;
  }
}

function firstFault(text: string): ArgumentFault | undefined {
  /** The keys seen so far of each open object; undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  const enter = (path: () => Path, keys: Set<string> | undefined): void => {
    if (open.length === 0 && keys === undefined) throw new Found(notAnObject('an array'));
    open.push(keys);
    if (open.length > maxArgumentDepth) throw new Found(tooDeep(path()));
  };
  const leave = (): void => {
    open.pop();
  };
  try {
    visit(
      text,
      {
        onError: (code, _offset, _length, line, column) => {
          throw new Found(notJson(code, line, column));
        },
        onObjectBegin: (_offset, _length, _line, _column, path) => enter(path, new Set()),
        onObjectEnd: leave,
        onArrayBegin: (_offset, _length, _line, _column, path) => enter(path, undefined),
        onArrayEnd: leave,
        onObjectProperty: (key, _offset, _length, _line, _column, path) => {
          const where = [...path(), key];
          if (!key.isWellFormed()) throw new Found(loneSurrogate(where, key, 'name'));
          const keys = open.at(-1);
          if (keys?.has(key)) throw new Found(duplicate(where));
          keys?.add(key);
        },
        onLiteralValue: (value: unknown, offset, length, _line, _column, path) => {
          if (open.length === 0) throw new Found(notAnObject(value === null ? 'null' : `a ${typeof value}`));
          if (typeof value === 'string' && !value.isWellFormed()) {
            throw new Found(loneSurrogate(path(), value, 'text'));
          }
          if (typeof value !== 'number') return;
          const source = text.slice(offset, offset + length);
          const reason = numberFault(source);
          if (reason !== undefined) throw new Found(changedNumber(path(), source, reason));
        },
      },
      { disallowComments: true },
    );
    return undefined;
  } catch (error) {
    if (error instanceof Found) return error.fault;
    throw error;
  }
}

/** Why a number's value would not survive being read as a double and written by RFC 8785; undefined when it does. */
function numberFault(source: string): string | undefined {
  // Fifteen significant digits always survive.
  if (source.length <= 15 && !/e/i.test(source)) return undefined;
  const value = Number(source);
  if (!Number.isFinite(value)) return 'is too large for a number';
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return 'is beyond the integers that stay exact';
  if (decimal(source) !== decimal(String(value))) return `would become ${value}`;
  return undefined;
}

/** One spelling for each decimal value: digits without zeros at either end, and an exponent. */
function decimal(source: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(source) ?? [];
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === '0') start++;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end--;
  if (start === end) return '0';
  return `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

type Path = readonly (string | number)[];

function invalid(fault: ArgumentFault): CanonicalArguments {
  return { kind: 'invalid', fault };
}

function tooLarge(verb: string, bytes: number): ArgumentFault {
  return {
    message: `The arguments ${verb} ${bytes} bytes; at most ${maxArgumentBytes} are accepted.`,
    receivedJson: String(bytes),
    limitJson: String(maxArgumentBytes),
  };
}

function tooDeep(path: Path): ArgumentFault {
  const field = fieldOf(path.slice(0, 1));
  return {
    message: `"${field}" nests objects and arrays more than ${maxArgumentDepth} deep, the arguments object counted.`,
    field,
    limitJson: String(maxArgumentDepth),
  };
}

function notAnObject(found: string): ArgumentFault {
  return { message: `The arguments must be one JSON object, like {"name": "value"}; this is ${found}.` };
}

function notJson(code: ParseErrorCode, line: number, column: number): ArgumentFault {
  // "CommaExpected" → "comma expected"
  const reason = printParseErrorCode(code)
    .replaceAll(/(?<=[a-z])[A-Z]/g, (capital) => ` ${capital}`)
    .toLowerCase();
  return {
    message: `The arguments are not JSON: ${reason} at line ${line + 1}, column ${column + 1}. Comments and trailing commas are no JSON either.`,
  };
}

function duplicate(path: Path): ArgumentFault {
  const field = fieldOf(path);
  return { message: `"${field}" is there twice, and readers differ on which one counts: send it once.`, field };
}

function loneSurrogate(path: Path, received: string, what: 'name' | 'text'): ArgumentFault {
  const field = fieldOf(path);
  return {
    message: `The ${what} of "${field}" holds half of a surrogate pair, which is no character: leave it out, or send the whole pair.`,
    field,
    receivedJson: echoOf(JSON.stringify(received)),
  };
}

function changedNumber(path: Path, source: string, reason: string): ArgumentFault {
  const field = fieldOf(path);
  const shown = echoOf(source);
  return {
    message: `The number ${shown ?? 'given'} of "${field}" ${reason}: send it as a string, if the tool takes one.`,
    field,
    receivedJson: shown,
    limitJson: reason.includes('integers') ? String(Number.MAX_SAFE_INTEGER) : undefined,
  };
}
