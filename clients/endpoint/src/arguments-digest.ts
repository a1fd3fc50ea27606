import canonicalize from 'canonicalize';
import type { Args } from './tool.ts';

/** `sha256:` and the hex digits of a digest over the RFC 8785 form: the same for the same arguments, over every transport. */
export async function argumentsDigest(args: Args): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalize(args) ?? 'null');
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `sha256:${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
