import type { Command } from 'commander';
import type { Output } from './output.ts';

/** Adds `tether config`; `done` is told the exit code. */
export function addConfig(tether: Command, env: NodeJS.ProcessEnv, output: Output, done: (code: number) => void): void {
  tether
    .command('config')
    .description(
      'the settings that are in force, where each comes from, and what is wrong with them; secrets are masked',
    )
    .option('--json', 'print one JSON object: settings, problems', false)
    .addHelpText('after', help)
    .action(async (options: { readonly json: boolean }) => {
      const { showConfig } = await import('./show-config.ts');
      done(showConfig(options, env, output));
    });
}

const help = `
It reads what "tether serve" would read, and starts nothing. The catalog is checked by "tether tools check".

Exit codes:
  0  a server can start with these settings
  2  it cannot: every problem is named; or the command was called in a wrong way`;
