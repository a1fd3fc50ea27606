/** The server alone: settings from the environment, one line when it is ready, an orderly end on SIGTERM. */
import { firstKeysText, readyLine, serve } from './serve.ts';

process.exitCode = await serve(process.env, (app) => {
  process.stdout.write(`${firstKeysText(app)}${readyLine(app)}\n`);
});
