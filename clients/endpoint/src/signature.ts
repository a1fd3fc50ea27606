/**
 * Checks Tether's signature: Standard Webhooks 1.0, symmetric, over the bytes of the body as they came. By the runtime's own
 * WebCrypto, which compares in constant time, and not by the package `standardwebhooks`, which takes text only: a protobuf
 * message is none. That both agree is tested.
 */

/** A header or metadata value by its lower-case name. */
export type HeaderOf = (name: string) => string | null | undefined;

/** Resolves with what is wrong with the signature; undefined when nothing is. */
export type CheckSignature = (body: Uint8Array, header: HeaderOf) => Promise<string | undefined>;

/** A call whose timestamp is further from this clock than that is turned away, seconds in either direction. */
const toleranceSeconds = 300;

/** What WebCrypto makes of a secret; not every runtime's types have a name for it. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/**
 * `secrets`: one `whsec_…`, or two while one takes the place of the other; as a list, or one text with spaces between. `now`:
 * milliseconds since the epoch.
 *
 * @throws Error when one is not of that form; it names no secret.
 */
export function signatureCheck(secrets: string | readonly string[], now: () => number): CheckSignature {
  const texts = typeof secrets === 'string' ? secrets.split(/\s+/).filter((text) => text !== '') : secrets;
  if (texts.length === 0) throw new Error('signingSecrets is empty; give one `whsec_…`, or `false` to answer anybody');
  const keys = Promise.all(texts.map(keyOf).map(importKey));
  // Whoever checks first hears of a runtime that cannot do it; until then nobody has to.
  keys.catch(() => undefined);
  return async (body, header) => {
    const missing = names.filter((name) => !header(name));
    if (missing.length > 0) return `The call is not signed: there is no header ${missing.join(', ')}.`;
    const [id, timestamp, signatures] = names.map((name) => header(name) ?? '') as [string, string, string];
    const fault = timestampFault(timestamp, now());
    if (fault !== undefined) return fault;
    const given = signatures.split(' ').filter((each) => each.startsWith('v1,'));
    if (given.length === 0) return 'The header webhook-signature has no signature of version v1 in it.';
    const signed = signedBytes(`${id}.${timestamp}.`, body);
    for (const signature of given) {
      for (const key of await keys) if (await holds(key, signature.slice(3), signed)) return undefined;
    }
    return (
      'The header webhook-signature matches none of the secrets of this endpoint: it was made with another secret, or for ' +
      'another body, webhook-id or webhook-timestamp.'
    );
  };
}

function timestampFault(timestamp: string, now: number): string | undefined {
  if (!/^\d{1,12}$/.test(timestamp)) return 'The header webhook-timestamp is no number of seconds since 1970.';
  const age = Math.floor(now / 1_000) - Number(timestamp);
  if (Math.abs(age) <= toleranceSeconds) return undefined;
  const apart = age > 0 ? `${age} s behind` : `${-age} s ahead of`;
  return `The header webhook-timestamp is ${apart} this endpoint's clock, and at most ${toleranceSeconds} s are let in.`;
}

function signedBytes(head: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(head);
  const signed = new Uint8Array(start.length + body.length);
  signed.set(start);
  signed.set(body, start.length);
  return signed;
}

async function holds(key: Key, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const bytes = bytesOf(signature);
  return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, signed);
}

function keyOf(secret: string, at: number): Uint8Array<ArrayBuffer> {
  const key = secret.startsWith('whsec_') ? bytesOf(secret.slice('whsec_'.length)) : undefined;
  if (key === undefined || key.length < 24 || key.length > 64) {
    throw new Error(`signingSecrets: secret ${at + 1} must be whsec_ and the base64 of 24 to 64 bytes`);
  }
  return key;
}

function importKey(key: Uint8Array<ArrayBuffer>): Promise<Key> {
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
