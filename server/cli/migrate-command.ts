import type { Command } from 'commander';
import type { MigrateOptions } from './migrate.ts';
import type { Output } from './output.ts';

/** Adds `tether migrate`; `done` is told the exit code. */
export function addMigrate(
  tether: Command,
  env: NodeJS.ProcessEnv,
  output: Output,
  done: (code: number) => void,
): void {
  tether
    .command('migrate')
    .description(
      'brings the schema of the database up to this version, and sets the rights of the role that the server runs as',
    )
    .option('--status', 'tell what is applied and what is pending, and change nothing', false)
    .option('--json', 'print one JSON object, also for what went wrong', false)
    .addHelpText('after', help)
    .action(async (options: MigrateOptions) => {
      const { migrateCommand } = await import('./migrate.ts');
      done(await migrateCommand(options, env, output));
    });
}

const help = `
The database is the one that "tether serve" would use: DATABASE_URL, or the embedded one of TETHER_DATA_DIR. Migrations run as the
user of TETHER_OWNER_DATABASE_URL, who then owns the tables; the user of DATABASE_URL is granted what the server does, and can read
and add to the audit trail, but not change it. Without TETHER_OWNER_DATABASE_URL the user of DATABASE_URL does and owns everything.

A server does the same when it starts, unless TETHER_MIGRATE is off: then this is a step of its own, before the new version
starts. Several at once take turns, and the later ones find nothing to do. Each migration is applied whole or not at all. A schema
that is newer than this program is left alone.

Examples:
  tether migrate --status
  TETHER_OWNER_DATABASE_URL=postgresql://tether_owner:...@db/tether DATABASE_URL=postgresql://tether_app:...@db/tether tether migrate

Exit codes:
  0  the schema is current
  1  it is not (--status), or newer than this program; or the database cannot be used
  2  called in a wrong way`;
