/**
 * Tests that need more than npm brings: a browser, another language. A developer without it is told and goes on; with
 * `REQUIRE_TOOLCHAINS=1`, as in `.ci/run`, the test runs and fails.
 *
 *   test.runIf(await toolchain('go', ['version']))('the harness in Go prints the transcript', …);
 */
import { execFile } from 'node:child_process';

/** Whether tests that need this command run: it is there (running it with `args` ends with 0), or it must be. */
export async function toolchain(command: string, args: readonly string[] = ['--version']): Promise<boolean> {
  if (process.env.REQUIRE_TOOLCHAINS === '1') return true;
  const found = await new Promise<boolean>((resolve) => {
    execFile(command, [...args], { timeout: 60_000 }, (error) => resolve(error === null));
  });
  if (!found)
    process.stderr.write(`skipped, since it does not work here: tests that need \`${[command, ...args].join(' ')}\`\n`);
  return found;
}
