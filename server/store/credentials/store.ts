import type { MikroORM } from '@mikro-orm/postgresql';
import type { Authenticator } from '../../lifecycle/ports/authenticator.ts';
import type { Credentials } from '../../lifecycle/ports/credentials.ts';
import type { Tenants } from '../../lifecycle/ports/tenants.ts';
import type { Database, Transactions } from '../database.ts';
import { TenantEntity } from '../entities/tenant.ts';
import { statementError, violatedUnique } from '../errors.ts';
import { createAuthenticator } from './authenticate.ts';
import { createCredential } from './create.ts';
import { createTenant, type Keys } from './create-tenant.ts';
import { listCredentials } from './list.ts';
import { revokeCredential } from './revoke.ts';
import { rotateCredential } from './rotate.ts';
import { tenantExists } from './tenant-exists.ts';

export interface CredentialStore extends Credentials, Tenants {
  /** See {@link createTenant}. */
  createTenant(tenantId: string): Promise<Keys>;
  /**
   * When there is no tenant yet, makes `demo` with one key per role; undefined when there is one. Of several replicas that
   * do it at once, one gets the keys. `keep` is handed them before the commit: a crash in between loses none.
   */
  createFirstTenant(keep?: (keys: Keys) => Promise<void>): Promise<Keys | undefined>;
}

const firstTenant = 'demo';

/** Tenants and their keys. Rejects with StoreUnavailable when the database is away. */
export function createCredentialStore(
  orm: MikroORM,
  database: Database & Transactions,
): Authenticator & CredentialStore {
  return {
    ...createAuthenticator(database),
    create: (wanted, by, newTenant) => createCredential(database, wanted, by, newTenant),
    list: (query) => listCredentials(database, query),
    tenantExists: (tenantId) => tenantExists(database, tenantId),
    rotate: (which, by) => rotateCredential(database, which, by),
    revoke: (which, by) => revokeCredential(database, which, by),
    createTenant: (tenantId) => createTenant(database, tenantId),
    async createFirstTenant(keep) {
      if ((await orm.em.fork().count(TenantEntity).catch(rethrow)) > 0) return undefined;
      try {
        return await createTenant(database, firstTenant, keep);
      } catch (error) {
        if (violatedUnique(error) !== undefined) return undefined;
        throw error;
      }
    },
  };
}

function rethrow(error: unknown): never {
  throw statementError(error, false);
}
