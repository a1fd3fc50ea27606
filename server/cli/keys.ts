import { didYouMean } from '../catalog/problem.ts';
import type { Role } from '../domain/principal.ts';
import { createCredentialVerbs } from '../lifecycle/credentials/credential-verbs.ts';
import type { Credential } from '../lifecycle/ports/credentials.ts';
import type { Store } from '../store/open.ts';
import { credentialJson, credentialLine, keyText } from './keys-report.ts';
import { knownTenant } from './known-tenant.ts';
import { machineActor, machineOperator } from './machine-operator.ts';
import type { Output } from './output.ts';
import { Refused, told } from './told.ts';
import { withStore } from './with-store.ts';

export interface KeysOptions {
  readonly tenant: string;
  readonly json: boolean;
}

export interface CreateOptions extends KeysOptions {
  readonly newTenant: boolean;
  /** Undefined: operator for a new tenant. */
  readonly role: Role | undefined;
  /** Undefined: `<tenant>-<role>`. */
  readonly user: string | undefined;
  /** Empty: all. */
  readonly scope: readonly string[];
  readonly name: string;
  readonly expires: Date | undefined;
}

/** `tether keys create`; resolves with the exit code: 0 done, 1 refused or the database is away. */
export function createKey(options: CreateOptions, env: NodeJS.ProcessEnv, output: Output): Promise<number> {
  const { tenant, newTenant, scope, name, expires } = options;
  return told(options, output, async () => {
    const role = options.role ?? 'operator';
    const wanted = {
      tenantId: tenant,
      role,
      userId: options.user ?? `${tenant}-${role}`,
      scopes: scope.length === 0 ? null : [...new Set(scope)],
      name,
      expiresAt: expires ?? null,
    };
    const create = async ({ credentials, tenants }: Store) => {
      const made = await credentials.create(wanted, machineActor('keys'), newTenant);
      return made.kind === 'no-tenant' ? { ...made, tenants: await tenants() } : made;
    };
    const created = await withStore(env, create, { orNew: newTenant });
    switch (created.kind) {
      case 'created': {
        const what = newTenant ? `made tenant ${tenant} with its first credential` : `made a credential of ${tenant}`;
        return {
          json: { credential: credentialJson(created.credential), key: created.key },
          text: keyText(what, created.credential, created.key, new Date()),
        };
      }
      case 'past':
        throw new Refused('The credential would have expired already; --expires takes a time in the future.');
      case 'no-tenant':
        throw new Refused(
          `There is no tenant ${tenant}.${didYouMean(tenant, created.tenants)} To make it, say --new-tenant.`,
        );
      case 'tenant-exists':
        throw new Refused(`There is a tenant ${tenant} already. To add a credential to it, leave --new-tenant out.`);
    }
  });
}

/** `tether keys list`. Exit codes as for {@link createKey}. */
export function listKeys(options: KeysOptions, env: NodeJS.ProcessEnv, output: Output): Promise<number> {
  return told(options, output, async () => {
    const credentials = await withStore(env, async (store) => {
      await knownTenant(store, options.tenant);
      const verbs = createCredentialVerbs(store.credentials);
      const all: Credential[] = [];
      for (let cursor = '', last = false; !last; ) {
        const page = await verbs.list(machineOperator('keys', options.tenant), { pageSize: 200, cursor });
        all.push(...page.credentials);
        cursor = page.nextCursor;
        last = cursor === '';
      }
      return all;
    });
    const now = new Date();
    const lines = credentials.map((credential) => `${credentialLine(credential, now)}\n`);
    return {
      json: { credentials: credentials.map(credentialJson) },
      text: lines.join('') || `Tenant ${options.tenant} has no credentials.\n`,
    };
  });
}

/** `tether keys rotate`. Exit codes as for {@link createKey}. */
export function rotateKey(
  credentialId: string,
  options: KeysOptions & { readonly overlap: number },
  env: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  return told(options, output, async () => {
    const input = { credentialId, overlapMs: options.overlap * 1000 };
    const { credential, key } = await withStore(env, async (store) => {
      await knownTenant(store, options.tenant);
      return await createCredentialVerbs(store.credentials).rotate(machineOperator('keys', options.tenant), input);
    });
    const what =
      input.overlapMs === 0 ? 'replaced the key, and no server takes the old one any more' : 'replaced the key';
    return {
      json: { credential: credentialJson(credential), key },
      text: keyText(what, credential, key, new Date()),
    };
  });
}

/** `tether keys revoke`. Exit codes as for {@link createKey}. */
export function revokeKey(
  credentialId: string,
  options: KeysOptions,
  env: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  return told(options, output, async () => {
    const credential = await withStore(env, async (store) => {
      await knownTenant(store, options.tenant);
      return await createCredentialVerbs(store.credentials).revoke(
        machineOperator('keys', options.tenant),
        credentialId,
      );
    });
    return {
      json: { credential: credentialJson(credential) },
      text: `revoked; no server takes it any more:\n  ${credentialLine(credential, new Date())}\n`,
    };
  });
}
