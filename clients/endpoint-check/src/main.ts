#!/usr/bin/env node
/** The `tether-endpoint-check` command. */
import { runEndpointCheck } from './program.ts';

process.exitCode = await runEndpointCheck(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
