import { didYouMean } from '../catalog/problem.ts';
import type { Store } from '../store/open.ts';
import { Refused } from './told.ts';

/** Refuses a tenant that there is not, which would otherwise look like one that has nothing; says which may have been meant. */
export async function knownTenant({ tenants }: Pick<Store, 'tenants'>, tenant: string): Promise<void> {
  const all = await tenants();
  if (!all.includes(tenant)) throw new Refused(`There is no tenant ${tenant}.${didYouMean(tenant, all)}`);
}
