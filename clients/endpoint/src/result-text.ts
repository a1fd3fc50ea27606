import { refuse } from './refusal.ts';

/** A result that is JSON text already; made by `jsonText`. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * For a handler whose result is JSON text already, with a big integer in it for one: `return jsonText(text)`. It is sent as it is.
 *
 * @throws SyntaxError when it is no JSON.
 */
export function jsonText(text: string): JsonText {
  JSON.parse(text);
  return new JsonText(text);
}

/**
 * What a handler returned, as the JSON text that is sent and recorded. `undefined` is sent as null.
 *
 * @throws Refusal when it is longer than `maxBytes`: Tether would cut it off, and know nothing.
 * @throws TypeError for what is no JSON, and for an object with an `error`: Tether takes that for a refusal.
 */
export function resultText(result: unknown, tool: string, maxBytes: number): string {
  if (result instanceof Error) {
    throw new TypeError(`${tool} returned an error; throw it, or throw refuse(…)`, { cause: result });
  }
  const json = result instanceof JsonText ? result.text : JSON.stringify(result ?? null);
  if (json === undefined) throw new TypeError(`${tool} returned a ${typeof result}, which is no JSON`);
  if (hasError(json)) {
    throw new TypeError(`${tool} returned an object with an "error" in it; throw refuse(…) to say no`);
  }
  const bytes = new TextEncoder().encode(json).length;
  if (bytes <= maxBytes) return json;
  throw refuse({
    code: 'result_too_large',
    message: `The result of ${tool} has ${bytes} bytes, and at most ${maxBytes} can be sent; nothing was done. Ask for less.`,
    received: bytes,
    limit: maxBytes,
  });
}

function hasError(json: string): boolean {
  if (!json.trimStart().startsWith('{')) return false;
  const value: unknown = JSON.parse(json);
  const error = typeof value === 'object' && value !== null && 'error' in value ? value.error : undefined;
  return error !== undefined && error !== null && error !== false && error !== '';
}
