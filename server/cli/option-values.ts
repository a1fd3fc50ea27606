import { InvalidArgumentError } from 'commander';

/** A tenant, as an option takes it. */
export function tenantId(value: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,62}$/.test(value)) return value;
  throw new InvalidArgumentError('A tenant is 1 to 63 of a-z, 0-9 and -, and does not begin with -.');
}
