import { hash, randomBytes } from 'node:crypto';

/** `tth_`, the tenant, and 192 random bits: the tenant stands in the key, so that no look-up crosses tenants. */
const pattern = /^tth_([a-z0-9][a-z0-9-]{0,62})_[0-9a-f]{48}$/;
const tenantPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;

export function isTenantId(text: string): boolean {
  return tenantPattern.test(text);
}

export function newKey(tenantId: string): string {
  return `tth_${tenantId}_${randomBytes(24).toString('hex')}`;
}

/** The tenant that a key names; undefined for a text that is no key. */
export function tenantOfKey(key: string): string | undefined {
  return pattern.exec(key)?.[1];
}

/** What is stored of a key. A plain hash will do, since nobody can guess 192 random bits. */
export function hashOfKey(key: string): Buffer {
  return Buffer.from(placeOfKey(key), 'base64');
}

/** The same as a text, to look a key up by in memory; it takes less than half as long to make. */
export function placeOfKey(key: string): string {
  return hash('sha256', key, 'base64');
}

/** How a key begins, with six of its 48 digits: enough to tell keys apart in a list. */
export function prefixOfKey(key: string): string {
  return key.slice(0, -42);
}
