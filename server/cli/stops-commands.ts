import { type Command, Option } from 'commander';
import type { StopKind, StopTarget } from '../domain/stop.ts';
import { settings } from '../settings.ts';
import { tenantId } from './option-values.ts';
import type { Output } from './output.ts';
import type { StopOptions, StopsOptions } from './stops.ts';

/** Loaded when it is called: it brings the whole store. */
const verbs = () => import('./stops.ts');

interface Which {
  readonly tenant?: string;
  readonly everyTenant: boolean;
}

/** Adds `tether stop` and `tether resume`; `done` is told the exit code. */
export function addStops(tether: Command, env: NodeJS.ProcessEnv, output: Output, done: (code: number) => void): void {
  const stop = tether
    .command('stop')
    .description('stops a tool, an endpoint or a whole tenant, on every server at once, straight in the database')
    .addHelpText('after', help)
    .helpCommand(false);
  const resume = tether
    .command('resume')
    .description('takes a stop back, on every server')
    .addHelpText('after', help)
    .helpCommand(false);

  for (const [kind, what] of [
    ['TOOL', 'one tool'],
    ['ENDPOINT', 'an endpoint with all its tools'],
    ['TENANT', 'everything of the tenant'],
  ] as const) {
    const commandOf = (parent: Command, description: string) => {
      const command = withTenant(parent.command(kind.toLowerCase()).description(description)).option(
        '--reason <why>',
        'told to every model and person who meets it, and kept in the trail',
        '',
      );
      return kind === 'TENANT' ? command : command.argument('<name>', 'as the catalog calls it');
    };
    commandOf(stop, `Stops ${what}: nothing new is staged or claimed; what is under way is finished.`)
      .option(
        '--catalog <file>',
        'where the name is looked up',
        env.TETHER_CATALOG?.trim() || settings.TETHER_CATALOG.default,
      )
      .option('--unchecked', 'take the name as it is, without a catalog', false)
      .action(async (...given: unknown[]) => {
        const { target, options, self } = called<Omit<StopOptions, 'tenant'>>(kind, given);
        const unchecked = options.unchecked || kind === 'TENANT';
        done(
          await (await verbs()).stopIt(target, { ...options, unchecked, tenant: tenantOf(options, self) }, env, output),
        );
      });
    commandOf(resume, `Resumes ${what}.`).action(async (...given: unknown[]) => {
      const { target, options, self } = called<Omit<StopOptions, 'tenant'>>(kind, given);
      done(await (await verbs()).resumeIt(target, { ...options, tenant: tenantOf(options, self) }, env, output));
    });
  }

  withTenant(stop.command('list').description('Lists what is stopped, the newest first.')).action(
    async (options: Omit<StopsOptions, 'tenant'> & Which, self: Command) =>
      done(await (await verbs()).listStops({ ...options, tenant: tenantOf(options, self) }, env, output)),
  );
}

function withTenant(command: Command): Command {
  return command
    .addOption(new Option('--tenant <id>', 'in this tenant').argParser(tenantId))
    .addOption(new Option('--every-tenant', 'in every tenant that there is now').default(false).conflicts('tenant'))
    .option('--json', 'print one JSON object, also for what went wrong', false)
    .addHelpText('after', exitCodes);
}

/** Commander hands over the arguments, if there are any, then the options, then the command. */
function called<Options>(
  kind: StopKind,
  given: readonly unknown[],
): { readonly target: StopTarget; readonly options: Options & Which; readonly self: Command } {
  const [self, options, name] = given.toReversed() as [Command, Options & Which, string | undefined];
  return { target: { kind, name: name ?? '' }, options, self };
}

function tenantOf({ tenant, everyTenant }: Which, self: Command): string | undefined {
  if (tenant === undefined && !everyTenant) self.error('error: say --tenant <id>, or --every-tenant');
  return tenant;
}

const exitCodes = `
Exit codes:
  0  done; stopping what is stopped already is done too
  1  refused, and nothing was changed; or the database cannot be used
  2  called in a wrong way`;

const help = `
While something is stopped, proposals and confirms of it are refused with STOPPED and the reason, and change nothing. What was
sent before is finished and settled; doubts can still be probed and resolved, actions read and rejected. No key is needed: who
can run this can write to the database. From the moment that it is committed nothing is claimed; when the command ends, after
about a second, every server refuses to stage as well.

Examples:
  tether stop tool void_ticket --tenant acme --reason "The register double-books voids."
  tether stop endpoint pos --every-tenant --reason "The vendor had a break-in."
  tether stop tenant --tenant acme
  tether stop list --every-tenant
  tether resume endpoint pos --every-tenant
${exitCodes}`;
