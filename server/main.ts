/** The server alone: settings from the environment, one line when it is ready, an orderly end on SIGTERM. */
import { firstKeysText, readyLine, serve } from './serve.ts';

process.exitCode = await serve(process.env, (app, ready) => {
  process.stdout.write(`${firstKeysText(ready)}${readyLine(app)}\n`);
});
