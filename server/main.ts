/** The server alone: settings from the environment, one line when it is ready, an orderly end on SIGTERM. */
import { leaveSoon } from './leave-soon.ts';
import { firstKeysText, readyLine, serve } from './serve.ts';

process.exitCode = await serve(process.env, (app, ready) => {
  process.stdout.write(`${firstKeysText(ready)}${readyLine(app)}\n`);
});
leaveSoon();
