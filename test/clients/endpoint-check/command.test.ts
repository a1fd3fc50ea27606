/** The command: what its README begins with, its exit codes, its file, and what it does with arguments for many writes. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeHandler } from '@tether/endpoint/node';
import { runEndpointCheck } from '@tether/endpoint-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { closedPort } from '../../dispatch/raw-server.ts';
import { npmStart } from '../../support/npm-start.ts';
import { overHttp } from '../endpoint/servers.ts';
import { secret, shop, shopArgs } from './shop.ts';

vi.spyOn(console, 'warn').mockReturnValue();

const root = join(import.meta.dirname, '../../..');

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'tether-endpoint-check-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function run(args: readonly string[], env: Readonly<Record<string, string>> = { SECRET: secret }) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runEndpointCheck(args, env, { out: (text) => out.push(text), err: (text) => err.push(text) });
  return { code, out: out.join(''), err: err.join('') };
}

async function openShop(): Promise<string> {
  return (await overHttp(nodeHandler(shop()), 'json', '/tools')).url;
}

test('what the README begins with works when it is pasted', { timeout: 120_000 }, async () => {
  const readme = await readFile(join(root, 'clients/endpoint-check/README.md'), 'utf8');
  const [, starting = '', , checking = '', , shown = ''] = readme.split(/^```.*\n/m);
  const home = await folder();
  const shell = (script: string) =>
    new Promise<{ code: unknown; stdout: string }>((resolve) => {
      execFile('sh', ['-u', '-c', script], { cwd: home }, (error, stdout) =>
        resolve({ code: error?.code ?? 0, stdout }),
      );
    });
  // Its last line starts the server: here on free ports, with the secret that the lines before it made.
  const [last = '', ...before] = starting.trimEnd().split('\n').reverse();
  expect(last).toBe('POS_SIGNING_SECRET=$(cat .tether/pos-secret) npm start');
  await shell(before.reverse().join('\n'));
  vi.stubEnv('POS_SIGNING_SECRET', (await readFile(join(home, '.tether/pos-secret'), 'utf8')).trim());
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const started = npmStart(join(home, 'data'));
  onTestFinished(async () => {
    await started.stop();
  });
  const { vendor } = await started.addresses;
  const pasted = checking
    .replace('127.0.0.1:8090', vendor)
    .replace('node clients/', `'${process.execPath}' ${join(root, 'clients')}/`);
  const { code, stdout } = await shell(pasted);
  expect(stdout).toContain('✓ answers-a-write\n');
  for (const line of shown.split('\n').filter((each) => each !== '…')) expect(stdout).toContain(line);
  expect(code).toBe(0);
});

test('exits with 0, 1 or 2, and the report for machines is whole', async () => {
  const url = await openShop();
  const good = await run([url, ...shopArgs, '--json']);
  expect(good).toMatchObject({ code: 0, err: '' });
  const report = JSON.parse(good.out);
  expect(Object.keys(report)).toEqual(['version', 'endpoint', 'checks', 'summary']);
  expect(report).toMatchObject({ version: 1, endpoint: { url, transport: 'json' }, summary: { failed: 0, warned: 0 } });
  for (const check of report.checks) {
    expect(Object.keys(check)).toEqual(['id', 'outcome', 'why', 'sent', 'received', 'ms']);
  }
  const wrongSecret = await run([url, ...shopArgs], { SECRET: `whsec_${Buffer.alloc(32).toString('base64')}` });
  expect(wrongSecret.code).toBe(1);
  expect(wrongSecret.out).toMatch(
    /✗ answers-a-write: .*\n {4}sent {6}execute charge, key .*\n {4}received {2}HTTP 401 .*\n {4}mend/,
  );
  const nobody = await run([`http://127.0.0.1:${await closedPort()}`, ...shopArgs]);
  expect(nobody).toMatchObject({ code: 2, out: '', err: expect.stringContaining('ECONNREFUSED') });
});

test.each<[string, readonly string[], RegExp]>([
  ['no write', ['--args', '{}'], /--tool must name a write/],
  ['no arguments', ['--tool', 'charge'], /--args must say/],
  ['arguments that are no JSON', ['--tool', 'charge', '--args', '{a}'], /--args must be a JSON object, and is {a}/],
  ['a transport that there is not', [...shopArgs, '--transport', 'soap'], /--transport must be json, connect or grpc/],
  ['an option that there is not', [...shopArgs, '--fast'], /unknown option '--fast'/],
  ['a check that there is not', [...shopArgs, '--only', 'everything'], /There is no check "everything"/],
  ['a variable with nothing in it', [...shopArgs, '--bearer-env', 'NOT_SET'], /--bearer-env: there is nothing/],
  ['a file that is not there', [...shopArgs, '--config', 'no/such.yaml'], /no\/such\.yaml cannot be read \(ENOENT\)/],
])('says what is wrong with %s', async (_, args, message) => {
  const { code, err } = await run([await openShop(), ...args]);
  expect(err).toMatch(message);
  expect(code).toBe(2);
});

test('a secret that is none is not shown', async () => {
  const { code, err } = await run([await openShop(), ...shopArgs], { SECRET: 'whsec_tooshort' });
  expect({ code, err }).toEqual({
    code: 2,
    err: 'Signing secret 1 must be whsec_ and the base64 of 24 to 64 bytes.\n',
  });
});

test('what stands in a file need not be said again, and what is said goes before it', async () => {
  const home = await folder();
  const file = join(home, 'endpoint-check.yaml');
  await writeFile(join(home, 'secret'), `${secret}\n`);
  const lines = [`url: ${await openShop()}`, 'tool: charge', 'args: { account: "{{fresh}}" }', 'read: no_such_read'];
  await writeFile(
    file,
    [...lines, 'signing-secret-file: secret', 'only: [answers-a-write, answers-a-read]'].join('\n'),
  );
  const asWritten = await run(['--config', file]);
  expect(asWritten.out).toMatch(/^✓ answers-a-write\n✗ answers-a-read/);
  const corrected = await run(['--config', file, '--read', 'count_charges']);
  expect(corrected).toMatchObject({ code: 0, out: expect.stringMatching(/^✓ answers-a-write\n✓ answers-a-read\n/) });
  await writeFile(file, 'tools: charge\n');
  expect(await run(['--config', file])).toMatchObject({ code: 2, err: expect.stringContaining('no option "tools"') });
});

test('arguments that were given one by one are used one by one, and what was turned away is used again', async () => {
  const url = await openShop();
  const some = [
    '--tool',
    'charge',
    '--args',
    '{"account":"a"}',
    '--args',
    '{"account":"b"}',
    '--signing-secret-env',
    'SECRET',
  ];
  const { out, code } = await run([
    url,
    ...some,
    '--only',
    'late-call,answers-a-write,same-key-twice,same-key-at-once',
  ]);
  expect(code).toBe(0);
  expect(out).toMatch(
    /✓ answers-a-write\n✓ same-key-twice\n– same-key-at-once: All 2 arguments that were given are used up/,
  );
  const late = await run([url, ...some, '--only', 'late-call,no-internals,signature-required', '--json']);
  expect(JSON.parse(late.out).checks.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    'passed',
    'passed',
    'passed',
  ]);
});

test('without a secret it is told that whoever comes is answered', async () => {
  const open = (await overHttp(nodeHandler({ ...shop(), checkSignature: async () => undefined }), 'json', '/')).url;
  const { out, code } = await run([open, '--tool', 'charge', '--args', '{"account":"{{number}}"}']);
  expect(code).toBe(0);
  expect(out).toContain('! signature-required: Not checked, since no signing secret was given.');
});

test('either of two secrets that were given must do', async () => {
  const url = await openShop();
  const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  const { out, code } = await run([url, ...shopArgs, '--only', 'signature-required'], { SECRET: `${secret} ${other}` });
  expect(code).toBe(1);
  expect(out).toContain('A read signed with one of the secrets was to be answered with a result');
});

test('--list shows the checks and calls nobody', async () => {
  const { out, code } = await run(['--list']);
  expect(code).toBe(0);
  expect(out).toMatch(/^answers-a-write\n[\s\S]*^probe-fences \(with --probe\)\n/m);
});
