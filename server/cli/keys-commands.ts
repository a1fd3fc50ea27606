import { type Command, InvalidArgumentError, Option } from 'commander';
import { secondsOf } from '../catalog/duration.ts';
import { parseActionId } from '../domain/action.ts';
import { roles } from '../domain/principal.ts';
import type { CreateOptions, KeysOptions } from './keys.ts';
import { tenantId } from './option-values.ts';
import type { Output } from './output.ts';

/** Loaded when it is called: it brings the whole store. */
const verbs = () => import('./keys.ts');

const longestOverlapSeconds = 30 * 86_400;

/** Adds `tether keys`; `done` is told the exit code. */
export function addKeys(tether: Command, env: NodeJS.ProcessEnv, output: Output, done: (code: number) => void): void {
  const keys = tether
    .command('keys')
    .description('the API keys of a tenant, straight in the database: no key is needed, so this is the way back in')
    .addHelpText('after', help)
    .helpCommand(false);
  const command = (name: string, description: string) =>
    keys
      .command(name)
      .description(description)
      .requiredOption('--tenant <id>', 'the tenant', tenantId)
      .option('--json', 'print one JSON object, also for what went wrong', false)
      .addHelpText('after', exitCodes);

  command('create', 'Makes a key and shows it this once; with --new-tenant the tenant too.')
    .option('--new-tenant', 'make the tenant with it; the role is operator unless it is said', false)
    .addOption(new Option('--role <role>', 'what it may do').choices(roles))
    .option('--user <id>', 'the user that it belongs to (default: <tenant>-<role>)', text(1, 256))
    .option('--scope <scope>', 'a part of the tenant that it is good for; may be repeated; without it: all', more, [])
    .option('--name <name>', 'what it is for', text(0, 128), '')
    .option('--expires <when>', 'when it ends: 2027-01-31T00:00:00Z, or from now on: 12h, 90d (default: never)', moment)
    .action(async (options: CreateOptions, self: Command) => {
      if (options.role === undefined && !options.newTenant)
        self.error("error: required option '--role <role>' not specified; it is agent, approver or operator");
      done(await (await verbs()).createKey(options, env, output));
    });

  command('list', 'Lists the keys, newest first: how each begins, never a key.').action(async (options: KeysOptions) =>
    done(await (await verbs()).listKeys(options, env, output)),
  );

  command('rotate', 'Replaces the key of a credential and shows the new one this once; the id and its actions stay.')
    .argument('<credential-id>', 'as list tells it')
    .option('--overlap <duration>', 'how long the old key is taken too, like 15m, 24h or 7d; at most 30d', overlap, 0)
    .action(async (credential: string, options: KeysOptions & { overlap: number }, self: Command) =>
      done(await (await verbs()).rotateKey(idOf(credential, self), options, env, output)),
    );

  command('revoke', 'Ends a credential for good. The last operator of a tenant is refused: rotate it, or make another.')
    .argument('<credential-id>', 'as list tells it')
    .action(async (credential: string, options: KeysOptions, self: Command) =>
      done(await (await verbs()).revokeKey(idOf(credential, self), options, env, output)),
    );
}

function text(least: number, most: number): (value: string) => string {
  return (value) => {
    if (value.length >= least && [...value].length <= most && value.isWellFormed()) return value;
    throw new InvalidArgumentError(`It takes ${least} to ${most} characters.`);
  };
}

function more(scope: string, before: readonly string[]): readonly string[] {
  if (before.length === 100) throw new InvalidArgumentError('It takes 100 scopes at most.');
  return [...before, text(0, 256)(scope)];
}

/** What is no id may be a key, so it is not repeated. */
function idOf(value: string, command: Command): string {
  return (
    parseActionId(value) ??
    command.error('error: <credential-id> is a UUID, as list tells it; not the key, and not how the key begins')
  );
}

function duration(value: string): number {
  if (/^\d{1,6}[smhd]$/.test(value)) return secondsOf(value);
  throw new InvalidArgumentError('A duration is a whole number and one of s, m, h, d: 90s, 15m, 24h, 7d.');
}

function overlap(value: string): number {
  const seconds = duration(value);
  if (seconds <= longestOverlapSeconds) return seconds;
  throw new InvalidArgumentError('It is 30d at most.');
}

function moment(value: string): Date {
  const at = /^\d{4}-\d\d-\d\dT\S+(Z|[+-]\d\d:\d\d)$/.test(value)
    ? new Date(value)
    : new Date(Date.now() + duration(value) * 1000);
  if (!Number.isNaN(at.getTime())) return at;
  throw new InvalidArgumentError('It is a time with its zone, like 2027-01-31T00:00:00Z, or a duration, like 90d.');
}

const help = `
The database is the one that "tether serve" would use: DATABASE_URL, or the embedded one of TETHER_DATA_DIR (default .tether),
whether or not a server is running. It is brought up to this version first. Who can run this can write to the database, and
counts as an operator; every change is recorded with the name of the user of this machine.

Once rotate or revoke is done, no server takes the old key any more; so they take about a second.

Examples:
  tether keys create --tenant acme --new-tenant
  tether keys create --tenant acme --role agent --user checkout-bot --scope store-12 --expires 90d --name "till 12"
  tether keys list --tenant acme
  tether keys rotate 0b6a4c1e-7f0e-4a51-9d0e-6b2c8f4a1d33 --tenant acme --overlap 24h
  tether keys revoke 0b6a4c1e-7f0e-4a51-9d0e-6b2c8f4a1d33 --tenant acme
${exitCodesText()}`;

const exitCodes = exitCodesText();

function exitCodesText(): string {
  return `
Exit codes:
  0  done
  1  refused, and nothing was changed; or the database cannot be used
  2  called in a wrong way`;
}
