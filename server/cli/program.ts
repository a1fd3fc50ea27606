import { Command } from 'commander';
import { settings } from '../settings.ts';
import { addActions } from './actions-commands.ts';
import { addAudit } from './audit-command.ts';
import type { CheckOptions } from './check/check-tools.ts';
import { addConfig } from './config-command.ts';
import { addDoctor } from './doctor-command.ts';
import { addKeys } from './keys-commands.ts';
import { addMigrate } from './migrate-command.ts';
import { type Output, usageFault } from './output.ts';
import { addStops } from './stops-commands.ts';
import { understood, writesOf } from './usage.ts';
import { addWebhooks } from './webhooks-commands.ts';

/** Runs one command; resolves with the exit code. What a command needs is loaded when it is called: help comes at once. */
export async function runTether(args: readonly string[], env: NodeJS.ProcessEnv, output: Output): Promise<number> {
  let code = 0;
  const tether = new Command('tether')
    .description("Tether holds a language model's writes until a person confirms them.")
    .helpCommand(false)
    .configureOutput(writesOf(args, output))
    .exitOverride();

  tether
    .command('serve')
    .description('run the server; settings come from the environment')
    .addHelpText('after', settingsHelp())
    .action(async () => {
      const { firstKeysText, readyLine, serve } = await import('../serve.ts');
      code = await serve(env, (app, ready) => output.out(`${firstKeysText(ready)}${readyLine(app)}\n`));
    });

  tether
    .command('tools')
    .description('the tools that a catalog declares')
    .helpCommand(false)
    .command('check')
    .description(
      'Reads a catalog as the server would, and says what is wrong with it; then what a model or a person will stumble over.',
    )
    .argument('[catalog]', 'the catalog', env.TETHER_CATALOG?.trim() || settings.TETHER_CATALOG.default)
    .option(
      '-s, --sample <tool[=arguments]>',
      'also call this read at its endpoint, with these arguments as JSON ({} if left out), and look at the answer; may be repeated',
      (sample: string, before: readonly string[]) => [...before, sample],
      [] as readonly string[],
    )
    .option('--tenant <id>', 'the tenant of the samples', 'demo')
    .option('--scope <scope>', 'the scope of the samples', '')
    .option('--user <id>', 'the user of the samples', '')
    .option('--strict', 'exit with 1 when there are warnings', false)
    .option('--json', 'print one JSON object: catalog, usable, problems, warnings; or what went wrong', false)
    .addHelpText('after', checkHelp)
    .action(async (catalog: string, options: Omit<CheckOptions, 'catalog'>) => {
      const { checkTools } = await import('./check/check-tools.ts');
      code = await checkTools({ catalog, ...options }, env, output);
    });

  const done = (given: number) => {
    code = given;
  };
  addActions(tether, env, output, done);
  addConfig(tether, env, output, done);
  addKeys(tether, env, output, done);
  addStops(tether, env, output, done);
  addWebhooks(tether, env, output, done);
  addMigrate(tether, env, output, done);
  addAudit(tether, env, output, done);
  addDoctor(tether, env, output, done);

  return (await understood(tether, args, output)) ? code : usageFault;
}

function settingsHelp(): string {
  const rows = Object.entries(settings).map(([name, { default: value, what }]) => {
    return `  ${name.padEnd(27)} ${what}${value === '' ? '' : ` (default ${value})`}`;
  });
  const secrets = Object.entries(settings).flatMap(([name, setting]) => ('secret' in setting ? [`${name}_FILE`] : []));
  return `\nSettings:\n${rows.join('\n')}\n\nSecrets can stand in a file: ${secrets.join(', ')} name it.`;
}

const checkHelp = `
What it looks for, and what to do about it, is told in docs/vendor-guide.md. Writes are never called.

Examples:
  tether tools check tether.yaml
  tether tools check tether.yaml --strict
  tether tools check tether.yaml --sample get_open_tickets='{"limit":5}' --sample get_ticket='{"ticket_id":"T-4417"}'

Exit codes:
  0  the catalog can be used (there may be warnings)
  1  there are warnings, and --strict was given
  2  the catalog cannot be used, or the command was called in a wrong way`;
