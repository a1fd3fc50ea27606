/** Longest texts that are taken over from a vendor, characters. */
const longest = { code: 100, word: 200, message: 4_000 } as const;

/**
 * A vendor's text, fit to be stored and shown: well-formed, without NUL (no database text holds one), cut at a length
 * that a reader can bear.
 */
export function vendorText(text: string, kind: keyof typeof longest): string {
  const whole = text.toWellFormed().replaceAll('\u0000', '\ufffd');
  const limit = longest[kind];
  return whole.length <= limit ? whole : `${whole.slice(0, limit - 1).toWellFormed()}…`;
}

/** JSON text that a vendor sent as a string of its own; undefined when it is empty or no JSON. */
export function vendorJson(text: string): string | undefined {
  if (text === '' || text.includes('\u0000')) return undefined;
  try {
    JSON.parse(text);
    return text.toWellFormed();
  } catch {
    return undefined;
  }
}
