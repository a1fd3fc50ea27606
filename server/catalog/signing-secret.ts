import { createSecretKey, type KeyObject } from 'node:crypto';
import { readReference, type Surroundings } from './references.ts';

export type ResolvedKey =
  | { readonly kind: 'ok'; readonly key: KeyObject }
  | { readonly kind: 'invalid'; readonly message: string };

/** Bytes of a symmetric secret, by Standard Webhooks. */
const shortest = 24;
const longest = 64;

/**
 * Reads a signing secret that is one reference: `whsec_` and the base64 of its bytes. Without that prefix libraries disagree
 * about whether a text is base64 or the secret itself, so it is required. What comes back shows its bytes to nobody who prints
 * it, and messages never repeat what was found.
 */
export function resolveSigningSecret(text: string, surroundings: Surroundings): ResolvedKey {
  const found = readReference(text, surroundings);
  if (found.kind === 'invalid') return found;
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(found.value)?.[1] ?? '';
  const bytes = Buffer.from(encoded, 'base64');
  const whole = bytes.toString('base64') === encoded;
  if (whole && bytes.length >= shortest && bytes.length <= longest) return { kind: 'ok', key: createSecretKey(bytes) };
  return {
    kind: 'invalid',
    message:
      `${text.slice(2, -1)} holds no signing secret: whsec_ and the base64 of ${shortest} to ${longest} random bytes, ` +
      'as made by: echo "whsec_$(openssl rand -base64 32)".',
  };
}
