import { declaredNames } from '../catalog/declared-names.ts';
import { shown } from '../domain/preview.ts';
import type { Stop, StopTarget } from '../domain/stop.ts';
import { createStopVerbs, type StopVerbs } from '../lifecycle/stops/stop-verbs.ts';
import type { Store } from '../store/open.ts';
import { knownTenant } from './known-tenant.ts';
import { machineOperator } from './machine-operator.ts';
import type { Output } from './output.ts';
import { Refused, told } from './told.ts';
import { withStore } from './with-store.ts';

export interface StopsOptions {
  /** Undefined: every tenant that there is. */
  readonly tenant: string | undefined;
  readonly json: boolean;
}

export interface StopOptions extends StopsOptions {
  readonly reason: string;
  /** Take the name as it is, without looking whether the catalog declares it. */
  readonly unchecked: boolean;
  /** Where the catalog is. */
  readonly catalog: string;
}

type Declared = Parameters<typeof createStopVerbs>[1];

/** `tether stop tool|endpoint|tenant`; resolves with the exit code: 0 done, 1 refused or the database is away. */
export function stopIt(
  target: StopTarget,
  options: StopOptions,
  env: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  return told(options, output, async () => {
    const declared = options.unchecked ? anything(target) : await declaredIn(options.catalog);
    return said(
      await inTenants(options, env, declared, 'stop', (verbs, principal) =>
        verbs.stop(principal, { ...target, reason: options.reason }),
      ),
      'stopped',
    );
  });
}

/** `tether resume tool|endpoint|tenant`. Exit codes as for {@link stopIt}. */
export function resumeIt(
  target: StopTarget,
  options: StopsOptions & { readonly reason: string },
  env: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  return told(options, output, async () =>
    said(
      await inTenants(options, env, anything(target), 'resume', async (verbs, principal) => {
        const standing = await verbs.list(principal);
        const isStopped = standing.some(({ kind, name }) => kind === target.kind && name === target.name);
        // Of all tenants only those are meant in which it is stopped; of one that is named, it is an error if it is not.
        if (options.tenant === undefined && !isStopped) return undefined;
        return verbs.resume(principal, { ...target, reason: options.reason });
      }),
      'resumed',
    ),
  );
}

/** `tether stop list`. Exit codes as for {@link stopIt}. */
export function listStops(options: StopsOptions, env: NodeJS.ProcessEnv, output: Output): Promise<number> {
  return told(options, output, async () => {
    const stops = await inTenants(options, env, anything({ kind: 'TENANT', name: '' }), 'stop', (verbs, principal) =>
      verbs.list(principal),
    );
    const where = options.tenant === undefined ? 'any tenant' : `tenant ${options.tenant}`;
    return {
      json: { stops: stops.map(stopJson) },
      text: stops.map(stopLine).join('') || `Nothing is stopped in ${where}.\n`,
    };
  });
}

/** Does the same in each of the tenants that are meant, at once: each takes a second. */
async function inTenants(
  { tenant }: StopsOptions,
  env: NodeJS.ProcessEnv,
  declared: Declared,
  command: string,
  work: (
    verbs: StopVerbs,
    principal: ReturnType<typeof machineOperator>,
  ) => Promise<Stop | readonly Stop[] | undefined>,
): Promise<readonly Stop[]> {
  return withStore(env, async (store) => {
    const tenants = await meant(store, tenant);
    const verbs = createStopVerbs(store.stops, declared);
    const done = await Promise.all(tenants.map((each) => work(verbs, machineOperator(command, each))));
    return done.flatMap((stops) => stops ?? []);
  });
}

async function meant(store: Store, tenant: string | undefined): Promise<readonly string[]> {
  if (tenant === undefined) return await store.tenants();
  await knownTenant(store, tenant);
  return [tenant];
}

const anything = ({ name }: StopTarget): Declared => ({ names: () => [name], endpoints: () => [name] });

async function declaredIn(path: string): Promise<Declared> {
  const names = await declaredNames(path);
  if (names.kind === 'ok') return { names: () => names.tools, endpoints: () => names.endpoints };
  throw new Refused(
    `The catalog ${path} cannot be used here (${names.reason}), so nobody can say whether the name is right. Say where a good one is with --catalog, or --unchecked to take the name as it is. Nothing was stopped.`,
  );
}

function said(stops: readonly Stop[], done: 'stopped' | 'resumed') {
  const lines = stops.map(stopLine).join('');
  const nothing = 'It is stopped in no tenant; nothing was changed.\n';
  const what = done === 'stopped' ? 'stopped on every server' : 'resumed on every server; this is no longer stopped';
  return { json: { [done]: stops.map(stopJson) }, text: stops.length === 0 ? nothing : `${what}:\n${lines}` };
}

function stopJson({ tenantId, kind, name, reason, by, at }: Stop): object {
  return {
    tenant_id: tenantId,
    kind,
    name,
    reason,
    stopped_by: { credential_id: by.credentialId, user_id: by.userId },
    stopped_at: at,
  };
}

function stopLine({ tenantId, kind, name, reason, by, at }: Stop): string {
  const what = kind === 'TENANT' ? 'everything' : `${kind.toLowerCase()} ${shown(name)}`;
  const why = reason === '' ? '' : `: ${shown(reason)}`;
  return `  ${tenantId}  ${what}, by ${shown(by.userId)} at ${at.toISOString()}${why}\n`;
}
