#!/usr/bin/env node
/** The `tether` command. */
import { leaveSoon } from '../leave-soon.ts';
import { runTether } from './program.ts';

process.exitCode = await runTether(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
leaveSoon();
