import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { npmStart } from '../../support/npm-start.ts';
import { toolchain } from '../toolchain.ts';
import { goRuns, module } from './go.ts';

const here = await toolchain('go', ['version']);
const root = join(module, '../..');
const run = promisify(execFile);

/** The commands that the README shows, block by block. */
async function commands(): Promise<string[]> {
  const readme = await readFile(join(module, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
}

test.runIf(here)("what the Go module's README begins with works when it is pasted", goRuns, async () => {
  const home = await mkdtemp(join(tmpdir(), 'tether-go-readme-'));
  const started = npmStart(join(home, 'data'));
  const { grpc } = await started.addresses;
  const [pasted = ''] = await commands();
  const script = pasted.replaceAll('127.0.0.1:50051', grpc).replaceAll('$PWD/.tether/', `${join(home, 'data')}/`);
  const { stdout } = await run('sh', ['-eu', '-c', script], { cwd: root });
  expect(stdout).toMatch(/^read: \{"ticket_id":"T-4430".*"status":"open"/m);
  expect(stdout).toMatch(/^proposed: \{"preview":true,/m);
  expect(stdout).toMatch(/^confirmed: EXECUTED$/m);
  expect(stdout).toMatch(/^outcome: SUCCEEDED APPLIED \{.*"effect":"APPLIED"/m);
  expect(await started.stop()).toBe(0);
  await rm(home, { recursive: true, force: true });
});

test.runIf(here)(
  'a module of its own uses the one of a checkout as the README says, for callers and vendors',
  goRuns,
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'tether-go-module-'));
    const [, inYourModule = ''] = await commands();
    await writeFile(join(home, 'go.mod'), 'module example.com/theirs\n\ngo 1.26.0\n');
    for (const name of ['harness', 'endpoint'])
      await run('sh', ['-euc', `mkdir ${name} && cp "$0/examples/${name}/main.go" ${name}/`, module], { cwd: home });
    await run('sh', ['-eu', '-c', inYourModule.replaceAll('../tether/clients/go', module)], { cwd: home });
    await run('go', ['build', '-o', `${home}/bin/`, './harness', './endpoint'], { cwd: home });
    await rm(home, { recursive: true, force: true });
  },
);
