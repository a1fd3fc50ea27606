import { CredentialRefused } from '../lifecycle/ports/authenticator.ts';

/** What stands in an index with other texts has its limits: PostgreSQL takes 2,704 bytes in all. */
const longest = 1_024;

/**
 * What stands for a token where a key has its credential's id: the issuer, and whom and for which program it made the token. The
 * next token of the same is the same credential, so an agent goes on seeing what it proposed; and whoever reads the trail sees
 * who vouched for it. No issuer has a `#`, and what follows is percent-coded, so two never have the same text.
 */
export function credentialIdOf(issuer: string, subject: string, client: string | null): string {
  const made = client === null ? '' : `&client=${encodeURIComponent(client)}`;
  const id = `${issuer}#sub=${encodeURIComponent(subject)}${made}`;
  if (id.length > longest)
    throw new CredentialRefused(`its issuer, subject and client take more than ${longest} characters together`);
  return id;
}
