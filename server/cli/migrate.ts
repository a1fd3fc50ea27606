import { pino } from 'pino';
import { readConfig } from '../config.ts';
import { type DatabasePlace, migrateAll, schemaOf } from '../prepare-schema.ts';
import { type TrailGuard, trailGuard } from '../store/roles/trail-guard.ts';
import { schemaState } from '../store/schema-state.ts';
import { withSession } from '../store/session.ts';
import type { Output } from './output.ts';
import { Refused, type Said, told } from './told.ts';
import { withDatabase } from './with-store.ts';

export interface MigrateOptions {
  /** Only tell, change nothing. */
  readonly status: boolean;
  readonly json: boolean;
}

/** `tether migrate`; resolves with the exit code: 0 current, 1 not, or the database cannot be used. */
export function migrateCommand(options: MigrateOptions, env: NodeJS.ProcessEnv, output: Output): Promise<number> {
  return told(options, output, () =>
    options.status
      ? withDatabase(readConfig(env), status)
      : withDatabase(readConfig(env), bringUpToDate, { orNew: true }),
  );
}

async function bringUpToDate(place: DatabasePlace): Promise<Said> {
  const { unknown } = await schemaState(place.ownerUrl);
  if (unknown.length > 0) throw new Refused(`${newerText(unknown)} Nothing was changed.`);
  const { applied, appRole, rights } = await migrateAll(place, pino({ enabled: false }));
  const guard = await withSession(place.url, 'tether-migrate', trailGuard);
  const did = applied.length === 0 ? 'The schema was current already.' : `Applied ${applied.join(', ')}.`;
  const granted =
    appRole === null || rights.length === 0
      ? []
      : [`Set the rights of ${appRole}, as whom the server runs:`, ...indented(rights)];
  return {
    json: { applied, app_role: guard.role, rights, trail: guardJson(guard) },
    text: `${[did, ...granted, guardText(guard)].join('\n')}\n`,
  };
}

async function status({ ownerUrl }: DatabasePlace): Promise<Said> {
  const { applied } = await schemaState(ownerUrl);
  const { missing, newer } = await schemaOf(ownerUrl);
  const lines = [
    ...applied.map(({ name, at }) => `applied  ${at.toISOString()}  ${name}`),
    ...missing.map((name) => `pending  ${' '.repeat(24)}  ${name}`),
  ];
  const current = missing.length === 0 && newer.length === 0;
  const verdict =
    newer.length > 0 ? newerText(newer) : missing.length > 0 ? 'The schema is behind.' : 'The schema is current.';
  return {
    json: { current, applied, pending: missing, newer },
    text: `${[...lines, verdict].join('\n')}\n`,
    code: current ? 0 : 1,
  };
}

function newerText(newer: readonly string[]): string {
  return `The schema is newer than this program: it has ${newer.join(', ')}. Use the version that made it, or a later one.`;
}

function guardJson({ ways, triggersMissing }: TrailGuard): object {
  return { guarded_by: ways.length === 0 ? 'role' : 'triggers', ways, triggers_missing: triggersMissing };
}

function guardText({ role, ways }: TrailGuard): string {
  if (ways.length === 0) return `The server runs as ${role}, which PostgreSQL does not let change the audit trail.`;
  return (
    `The server runs as ${role}, and could change the audit trail if it were made to, since ${ways.join(', and ')}: ` +
    'triggers stop mistakes only. docs/audit.md says how to part the two roles.'
  );
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
