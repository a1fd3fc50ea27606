import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type NpmStart, npmStart } from '../../support/npm-start.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

vi.setConfig({ testTimeout: 120_000 });

let home: string;
let started: NpmStart;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tether-client-readme-'));
  started = npmStart(join(home, 'data'));
});
afterAll(async () => {
  expect(await started.stop()).toBe(0);
  await rm(home, { recursive: true, force: true });
});

test("what the client's README begins with works when it is pasted", async () => {
  const { http } = await started.addresses;
  const readme = readFileSync(join(root, 'clients/typescript/README.md'), 'utf8');
  const [, pasted = ''] = /^```sh\n([\s\S]*?)^```/m.exec(readme) ?? [];
  const script = pasted.replaceAll('127.0.0.1:8080', http).replaceAll('.tether/', `${join(home, 'data')}/`);
  const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', script], { cwd: root });
  expect(stdout).toMatch(/^read: \{"ticket_id":"T-4423".*"status":"open"/m);
  expect(stdout).toMatch(/^proposed: \{"preview":true,/m);
  expect(stdout).toMatch(/^confirmed: EXECUTED$/m);
  expect(stdout).toMatch(/^outcome: SUCCEEDED APPLIED \{.*"effect":"APPLIED"/m);
});
