import type { Command } from 'commander';
import type { Output } from './output.ts';

/** Adds `tether doctor`; `done` is told the exit code. */
export function addDoctor(tether: Command, env: NodeJS.ProcessEnv, output: Output, done: (code: number) => void): void {
  tether
    .command('doctor')
    .description('looks whether a server would run here as it should, and says what to do where it would not')
    .option('--json', 'print one JSON object: status, and the checks with what to do', false)
    .addHelpText('after', help)
    .action(async (options: { readonly json: boolean }) => {
      const { doctor } = await import('./doctor/doctor.ts');
      done(await doctor(options, env, output));
    });
}

const help = `
With the settings that "tether serve" would have, it looks at: the settings and the catalog; TLS certificates; the data directory;
whether the ports are free, or in use by a tether that runs; the database: whether it is there, recent enough and durable, whether
its schema is current, whether the server's role can change the audit trails, connections, clock, long transactions; whether keys
of the first start lie around; whether endpoints, authorizer, webhooks and issuers can be connected to. Nothing is changed, no
endpoint is called, and no secret is shown. An embedded database that is not running is started for as long as it takes.

Examples:
  tether doctor
  tether doctor --json | jq '.checks[] | select(.status != "ok")'

Exit codes:
  0  all is well
  1  it works, with warnings
  2  something fails; or called in a wrong way`;
