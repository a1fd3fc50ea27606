/** What the matrix is played in: the whole server, two tenants, an issuer, good and bad credentials, and things to ask about. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import type { Role } from '../../server/domain/principal.ts';
import { openStore } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { answers, startEndpoint } from '../support/endpoint.ts';
import { startIssuer } from '../support/issuer.ts';
import { type Asker, createAsker } from './matrix-ask.ts';
import type { Kind } from './matrix-table.ts';
import { badTokens, seconds } from './matrix-tokens.ts';

/** The tenant of the callers, and one that they must not learn of. */
export const own = 'acme';
export const foreign = 'globex';
const tenants = [own, foreign] as const;
type Tenant = (typeof tenants)[number];

export const forms = ['key', 'token'] as const;
export type Form = (typeof forms)[number];
/** Good for all scopes, or for `s1` alone. */
export type Reach = 'all' | 's1';

/** A header that is not good for anything, and how its refusal may differ from the others'. */
export interface Bad {
  readonly name: string;
  readonly authorization: string | undefined;
  readonly told: 'none' | 'malformed' | 'expired' | 'unknown';
}

export interface World {
  readonly asker: Asker;
  readonly database: TestDatabase;
  /** An authorization of the callers' tenant. */
  good(role: Role, form: Form, reach: Reach): string;
  /** An agent that is none of those. */
  readonly otherAgent: string;
  /** As they would be for that role, if they were good. */
  bad(role: Role): readonly Bad[];
  /** Makes a thing, by an agent where it is one's, and tells its id. */
  make(kind: Kind, where: { readonly tenant: string; readonly scope: string; readonly by?: string }): Promise<string>;
  /** The id of a thing of the kind that never was; of the same length. */
  never(kind: Kind): string;
  /** Everything that there is of the foreign tenant, as it stands. */
  foreignState(): Promise<unknown>;
  /** The ids of everything that was made in that tenant and scope. */
  idsOf(tenant: string, scope?: string): readonly string[];
  close(): Promise<void>;
}

/** How a thing that a caller may not see is refused: as one that never was. */
export const hiddenAs: Readonly<Record<Exclude<Kind, 'nothing'>, string>> = {
  pending: 'ACTION_NOT_FOUND',
  doubtful: 'ACTION_NOT_FOUND',
  credential: 'CREDENTIAL_NOT_FOUND',
  stop: 'INVALID_REQUEST',
  delivery: 'DELIVERY_NOT_FOUND',
};

const spares = Array.from({ length: 60 }, (_, each) => `spare_${String(each).padStart(2, '0')}`);

export async function openWorld(): Promise<World> {
  const [database, endpoint, issuer, stranger, directory] = await Promise.all([
    createDatabase(),
    startEndpoint(),
    startIssuer({ alg: 'RS256' }),
    startIssuer({ alg: 'RS256' }),
    mkdtemp(join(tmpdir(), 'tether-matrix-')),
  ]);
  endpoint.answer((call) =>
    call.argumentsJson.includes('lost-') && call.isWrite ? answers.reset() : answers.result('{"ok":true}'),
  );
  endpoint.answerProbe(answers.probed('UNKNOWN'));
  const catalog = join(directory, 'tether.yaml');
  await writeFile(catalog, catalogText(endpoint.url, issuer.url));
  const store = await openStore({ url: database.url, poolSize: 1 });
  const keys = {
    acme: await store.credentials.createTenant(own),
    globex: await store.credentials.createTenant(foreign),
  };
  await store.close();
  const env = {
    ...{ DATABASE_URL: database.url, TETHER_CATALOG: catalog, TETHER_DATA_DIR: directory },
    ...{ TETHER_HTTP_PORT: '0', TETHER_GRPC_PORT: '0', TETHER_LOG_LEVEL: 'silent' },
    // Hundreds of bad credentials come from one address, and each is to be looked at, however fast the machine is.
    ...{ TETHER_FAILED_KEY_LIMIT: '0', TETHER_RATE_LIMIT: '0' },
  };
  const app = await startApp(readConfig(env), env);
  await app.ready;
  const asker = createAsker(app);
  const made: { readonly tenant: string; readonly scope: string; readonly id: string }[] = [];
  let spare = 0;

  const bearer = (credential: string) => `Bearer ${credential}`;
  const keyOf = (tenant: string, role: Role) => keys[tenantOf(tenant)][role];

  /** Does something over the JSON door that has to go well. */
  async function post<T>(path: string, credential: string, body: unknown = {}): Promise<T> {
    const response = await fetch(`${app.httpUrl}${path}`, {
      method: 'POST',
      headers: { authorization: bearer(credential), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${text}`);
    return JSON.parse(text);
  }

  interface MadeKey {
    readonly key: string;
    readonly credential: { readonly id: string };
  }
  const makeCredential = (tenant: string, role: Role, more: object = { allScopes: true }) =>
    post<MadeKey>('/v1/credentials', keyOf(tenant, 'operator'), {
      role: role.toUpperCase(),
      userId: `u-${role}`,
      ...more,
    });

  async function stage(tenant: string, scope: string, ticket: string, by: string | undefined): Promise<string> {
    const proposal = { tool: 'void_ticket', arguments: { ticket_id: ticket }, scope };
    const { action } = await post<{ action: { id: string } }>('/v1/actions', by ?? keyOf(tenant, 'agent'), proposal);
    return action.id;
  }

  const makers: Readonly<Record<Kind, (tenant: string, scope: string, by: string | undefined) => Promise<string>>> = {
    nothing: async () => '',
    pending: (tenant, scope, by) => stage(tenant, scope, randomUUID(), by),
    async doubtful(tenant, scope, by) {
      const id = await stage(tenant, scope, `lost-${randomUUID()}`, by);
      await post(`/v1/actions/${id}/confirm`, keyOf(tenant, 'approver'));
      return id;
    },
    credential: async (tenant) => (await makeCredential(tenant, 'agent')).credential.id,
    async stop(tenant) {
      const name = nextSpare();
      await post('/v1/stops', keyOf(tenant, 'operator'), { kind: 'TOOL', name, reason: `Because ${tenant} says so.` });
      return name;
    },
    async delivery(tenant) {
      const id = randomUUID();
      await database.query(
        `insert into webhook_delivery (id, tenant_id, webhook, topic, action_id, version, body, state, attempts, fault)
          values ($1, $2, 'till', 'pending', $3, 1, '{}', 'DEAD', 9, $4)`,
        [id, tenant, randomUUID(), `The till of ${tenant} is closed.`],
      );
      return id;
    },
  };

  function nextSpare(): string {
    const name = spares[spare++];
    if (name === undefined) throw new Error('the catalog has too few spare tools');
    return name;
  }

  const scopedKeys = await byRole(async (role) => (await makeCredential(own, role, { scopes: ['s1'] })).key);
  const otherAgent = (await makeCredential(own, 'agent')).key;
  const spoilt = await byRole(spoiltKeys);

  /** Keys that were good once. */
  async function spoiltKeys(role: Role) {
    const [revoked, expired, rotated] = await Promise.all([
      makeCredential(own, role),
      makeCredential(own, role, { allScopes: true, expiresAt: new Date(Date.now() + 3_600_000).toISOString() }),
      makeCredential(own, role),
    ]);
    const operator = keyOf(own, 'operator');
    await database.query(`update credential set expires_at = now() - interval '1 second' where id = $1`, [
      expired.credential.id,
    ]);
    await Promise.all([
      post(`/v1/credentials/${revoked.credential.id}/revoke`, operator),
      post(`/v1/credentials/${rotated.credential.id}/rotate`, operator),
    ]);
    return { 'a revoked key': revoked.key, 'an expired key': expired.key, 'the key before its rotation': rotated.key };
  }

  /** Good for longer than the slowest machine takes. */
  const claimsOf = (role: Role, reach: Reach) => ({
    ...{ aud: 'tether', sub: `t-${role}`, org: own, roles: [`tether-${role}`] },
    ...{ stores: reach === 'all' ? ['*'] : ['s1'], exp: seconds(7_200) },
  });
  const goodTokens = {
    all: await byRole((role) => issuer.token(claimsOf(role, 'all'))),
    s1: await byRole((role) => issuer.token(claimsOf(role, 's1'))),
  };
  const bad = await byRole(badOf);

  async function badOf(role: Role): Promise<readonly Bad[]> {
    const claims = claimsOf(role, 'all');
    const good = goodTokens.all[role];
    const expired = await issuer.token({ ...claims, exp: seconds(-60) });
    const unknown = {
      'an unknown key': `tth_${own}_${'0'.repeat(48)}`,
      'a key of no tenant': `tth_initech_${'0'.repeat(48)}`,
      'a word': 'x',
      ...spoilt[role],
      ...(await badTokens(issuer, stranger, claims, foreign)),
    };
    return [
      { name: 'no header', authorization: undefined, told: 'none' },
      { name: 'another scheme', authorization: `Basic ${good}`, told: 'malformed' },
      { name: 'a token without its scheme', authorization: good, told: 'malformed' },
      { name: 'two tokens', authorization: `Bearer ${good} ${good}`, told: 'malformed' },
      { name: 'an expired token', authorization: bearer(expired), told: 'expired' },
      ...Object.entries(unknown).map(
        ([name, credential]): Bad => ({
          ...{ name, authorization: bearer(credential), told: 'unknown' },
        }),
      ),
    ];
  }

  return {
    asker,
    database,
    otherAgent: bearer(otherAgent),
    good(role, form, reach) {
      if (form === 'token') return bearer(goodTokens[reach][role]);
      return bearer(reach === 'all' ? keyOf(own, role) : scopedKeys[role]);
    },
    bad: (role) => bad[role],
    async make(kind, { tenant, scope, by }) {
      const id = await makers[kind](tenant, scope, by?.replace('Bearer ', ''));
      // Which tools there are is no secret of anybody's; that one is stopped is, and its reason tells whose.
      if (kind !== 'nothing' && kind !== 'stop') made.push({ tenant, scope, id });
      return id;
    },
    never: (kind) => (kind === 'stop' ? nextSpare() : randomUUID()),
    foreignState: () =>
      database.query(
        `select id::text, state::text as is, effect::text || version as at from action where tenant_id = $1
         union all select id::text, role::text, concat(revoked_at, rotated_at, encode(key_hash, 'hex')) from credential where tenant_id = $1
         union all select kind::text, name, at::text from stop where tenant_id = $1
         union all select id::text, state::text, attempts::text from webhook_delivery where tenant_id = $1 order by 1, 2, 3`,
        [foreign],
      ),
    idsOf: (tenant, scope) =>
      made
        .filter((each) => each.tenant === tenant && (scope === undefined || each.scope === scope))
        .map(({ id }) => id),
    async close() {
      asker.close();
      await app.close();
      await Promise.all([endpoint.close(), issuer.close(), stranger.close(), database.drop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function byRole<T>(make: (role: Role) => Promise<T>): Promise<Readonly<Record<Role, T>>> {
  const [agent, approver, operator] = await Promise.all([make('agent'), make('approver'), make('operator')]);
  return { agent, approver, operator };
}

function tenantOf(text: string): Tenant {
  const tenant = tenants.find((each) => each === text);
  if (tenant === undefined) throw new Error(`no tenant ${text}`);
  return tenant;
}

function catalogText(endpoint: string, issuer: string): string {
  const input = '{ type: object, properties: { ticket_id: { type: string } } }';
  return `
version: 1
identity:
  issuers:
    - issuer: "${issuer}"
      audience: [tether]
      tenant: { claim: org }
      tenants: [${own}, initech]
      role: { claim: roles, values: { tether-agent: agent, tether-approver: approver, tether-operator: operator } }
      scopes: { claim: stores, all: "*" }
endpoints:
  pos: { transport: json, url: "${endpoint}", probe: true }
tools:
  get_ticket: { endpoint: pos, description: One ticket., input: ${input} }
  void_ticket:
    endpoint: pos
    is_write: true
    description: Void a ticket.
    input: ${input}
    precondition: { read: get_ticket, arguments: { ticket_id: /ticket_id } }
  idle_tool: { endpoint: pos, description: Stopped., input: ${input} }
${spares.map((name) => `  ${name}: { endpoint: pos, description: Stopped and resumed., input: ${input} }`).join('\n')}
`;
}
