import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { npmStart } from '../../support/npm-start.ts';
import { play, transcript } from '../harness/play.ts';
import { toolchain } from '../toolchain.ts';

const root = join(import.meta.dirname, '../../..');
const here = (await toolchain('mvn', ['-v'])) && (await toolchain('javac', ['--version']));
/** A fresh machine fetches Maven's plugins and the libraries first, some 60 MB. */
const runs = { timeout: 900_000 } as const;

test.runIf(here)('the Java recipe works as it is printed, and its harness prints the transcript', runs, async () => {
  const home = await mkdtemp(join(tmpdir(), 'tether-java-'));
  await rm(join(root, 'clients/java/target'), { recursive: true, force: true });
  const started = npmStart(join(home, 'data'));
  try {
    const { grpc } = await started.addresses;
    const readme = await readFile(join(root, 'clients/java/README.md'), 'utf8');
    const [, pasted = ''] = /^```sh\n([\s\S]*?)^```/m.exec(readme) ?? [];
    const script = pasted.replaceAll('127.0.0.1:50051', grpc).replaceAll('.tether/', `${join(home, 'data')}/`);
    const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', script], { cwd: root });
    // Maven resets colours also where there are none.
    const printed = stripVTControlCharacters(stdout);
    expect(printed).toMatch(/^read: \{"ticket_id":"T-4421".*"status":"open"/m);
    expect(printed).toMatch(/^proposed: \{"preview":true,/m);
    expect(printed).toMatch(/^refused: PERMISSION_DENIED, accepted \["approver"\], EFFECT_NONE$/m);
    const classpath = ['classes', 'lib/*'].map((path) => join(root, 'clients/java/target', path)).join(':');
    const harness = { command: 'java', args: ['-cp', classpath, 'tether.example.Harness'] };
    expect(await play(harness)).toBe(transcript);
  } finally {
    await started.stop();
    await rm(home, { recursive: true, force: true });
  }
});
