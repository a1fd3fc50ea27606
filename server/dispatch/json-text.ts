/** JSON that an endpoint sent: its text as it was, and what it means. */
export interface JsonText {
  readonly text: string;
  readonly value: unknown;
}

/** Reads bytes as JSON; undefined when they are no UTF-8 or no JSON. Nothing is ever written anew from `value`. */
export function jsonFromBytes(bytes: Uint8Array): JsonText | undefined {
  try {
    return jsonFromText(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

/** Reads text as JSON; undefined when it is none. */
export function jsonFromText(text: string): JsonText | undefined {
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
