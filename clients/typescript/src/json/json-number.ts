/** What JSON can say. Numbers that a JavaScript number cannot hold stand as {@link JsonNumber}. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | JsonNumber
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/**
 * A number as it stands in a JSON text, where `JSON.parse` would make another one of it: 9007199254740993, 1e400. Nothing is
 * rounded behind anybody's back: `text` has all digits, `BigInt(number.text)` reads an integer, and arithmetic with the object
 * itself throws.
 */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
    Object.freeze(this);
  }

  toString(): string {
    return this.text;
  }

  /** The digits as they are where the platform can write them (Node 22, Chrome 114, Firefox 135); else a string of them. */
  toJSON(): unknown {
    return 'rawJSON' in JSON && typeof JSON.rawJSON === 'function' ? JSON.rawJSON(this.text) : this.text;
  }

  [Symbol.toPrimitive](hint: string): string {
    if (hint === 'string') return this.text;
    throw new TypeError(`${this.text} does not fit into a JavaScript number; read its text`);
  }
}
