import type { Settings } from './settings/settings.ts';

/** A text of a report with no secret in it: an endpoint may say again what it was told. Signatures are good for minutes. */
export function masked(text: string, { secrets, bearer }: Pick<Settings, 'secrets' | 'bearer'>): string {
  const known = [...secrets.flatMap((secret) => [secret, secret.replace(/^whsec_/, '')]), ...(bearer ? [bearer] : [])];
  return known
    .reduce((left, secret) => left.replaceAll(secret, '***'), text)
    .replaceAll(/\bv1,[A-Za-z0-9+/]{20,}={0,2}/g, 'v1,***');
}
