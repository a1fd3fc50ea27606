import { userInfo } from 'node:os';
import { ConfigError } from '../config.ts';
import { CallError } from '../domain/error.ts';
import type { Principal, Role } from '../domain/principal.ts';
import { createCredentialVerbs } from '../lifecycle/credentials/credential-verbs.ts';
import type { Credential } from '../lifecycle/ports/credentials.ts';
import { StoreUnavailable } from '../lifecycle/ports/store-unavailable.ts';
import { credentialJson, credentialLine, keyText } from './keys-report.ts';
import { withStore } from './keys-store.ts';
import type { Output } from './output.ts';

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

/** Why a command did not do what it was asked to, for the person who called it. */
class Refused extends Error {}

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
    const created = await withStore(env, ({ credentials }) => credentials.create(wanted, actor(), newTenant));
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
        throw new Refused(`There is no tenant ${tenant}. To make it, say --new-tenant.`);
      case 'tenant-exists':
        throw new Refused(`There is a tenant ${tenant} already. To add a credential to it, leave --new-tenant out.`);
    }
  });
}

/** `tether keys list`. Exit codes as for {@link createKey}. */
export function listKeys(options: KeysOptions, env: NodeJS.ProcessEnv, output: Output): Promise<number> {
  return told(options, output, async () => {
    const credentials = await withStore(env, async (store) => {
      const verbs = createCredentialVerbs(store.credentials);
      const all: Credential[] = [];
      for (let cursor = '', last = false; !last; ) {
        const page = await verbs.list(atTheMachine(options), { pageSize: 200, cursor });
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
      text: lines.join('') || `There is no credential of a tenant ${options.tenant}.\n`,
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
    const { credential, key } = await withStore(env, (store) =>
      createCredentialVerbs(store.credentials).rotate(atTheMachine(options), input),
    );
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
    const credential = await withStore(env, (store) =>
      createCredentialVerbs(store.credentials).revoke(atTheMachine(options), credentialId),
    );
    return {
      json: { credential: credentialJson(credential) },
      text: `revoked; no server takes it any more:\n  ${credentialLine(credential, new Date())}\n`,
    };
  });
}

async function told(
  { json }: KeysOptions,
  output: Output,
  work: () => Promise<{ readonly json: object; readonly text: string }>,
): Promise<number> {
  try {
    const said = await work();
    output.out(json ? `${JSON.stringify(said.json, null, 2)}\n` : said.text);
    return 0;
  } catch (error) {
    const { code, message } = reasonOf(error);
    if (json) output.out(`${JSON.stringify({ error: { code, message } }, null, 2)}\n`);
    else output.err(`${message}\n`);
    return 1;
  }
}

function reasonOf(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof CallError) return { code: error.code, message: error.detail.message };
  if (error instanceof Refused) return { code: 'REFUSED', message: error.message };
  if (error instanceof ConfigError) return { code: 'INVALID_SETTINGS', message: error.message };
  const away = error instanceof StoreUnavailable;
  const doubt =
    away && error.mayHaveCommitted ? ' It cannot be known whether it was done: list before you repeat it.' : '';
  return {
    code: 'UNAVAILABLE',
    message: `The database cannot be used: ${wordsOf(away ? error.cause : error)}.${doubt}`,
  };
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it does not answer';
  // Node tells of several addresses that all failed without any words of its own.
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/** Who sits at the machine can write to the database anyway: they count as an operator, and stand in the trail by name. */
function atTheMachine({ tenant }: KeysOptions): Principal {
  return { ...actor(), tenantId: tenant, role: 'operator', scopes: null };
}

function actor(): { readonly credentialId: string; readonly userId: string } {
  return { credentialId: 'tether keys', userId: userName() };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry in the list of users, as in many containers.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
