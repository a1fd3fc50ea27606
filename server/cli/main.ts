#!/usr/bin/env node
/** The `tether` command. */
import { leaveSoon } from '../leave-soon.ts';
import { runTether } from './program.ts';
import { onUnwritten } from './unwritten.ts';

let failed: 0 | 1 = 0;
// A server goes on without; it sees to that itself.
if (process.argv[2] !== 'serve') {
  onUnwritten(process.stdout, (reason) => {
    failed = 1;
    // It may come when the command has ended already.
    process.exitCode ||= failed;
    process.stderr.write(`Not all that was to be told could be written (${reason}).\n`);
  });
}
const code = await runTether(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
process.exitCode = code || failed;
leaveSoon();
