import { invalidInput } from '../tether-error.ts';

/** An object to be sent as JSON: numbers, strings, booleans, null, arrays, objects; members that are undefined are left out. */
export type JsonObject = { readonly [name: string]: unknown };

/** A JSON object given as a value or, to decide about every digit oneself, as text. At most one of the two. */
export type Arguments =
  | { readonly arguments?: JsonObject; readonly argumentsJson?: undefined }
  | { readonly arguments?: undefined; readonly argumentsJson: string };

/** The text of arguments. Throws INVALID_ARGUMENTS for what JSON would say otherwise: NaN becomes null, a function nothing. */
export function argumentsText(input: Arguments): string {
  if (input.argumentsJson !== undefined) return input.argumentsJson;
  return input.arguments === undefined ? '' : jsonText(input.arguments);
}

/** The JSON text of a value; throws INVALID_ARGUMENTS for a value that it would change. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, function check(this: unknown, name: string, each: unknown): unknown {
    const lost =
      typeof each === 'function' ||
      typeof each === 'symbol' ||
      typeof each === 'bigint' ||
      (typeof each === 'number' && !Number.isFinite(each)) ||
      (each === undefined && Array.isArray(this));
    if (!lost) return each;
    throw invalidInput('INVALID_ARGUMENTS', name, `${String(each)} cannot be said in JSON. Send it as a string.`);
  });
}
