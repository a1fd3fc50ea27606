import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { packages, root } from '../../../scripts/pack/packages.ts';
import { closedPort } from '../../dispatch/raw-server.ts';
import { createDatabase } from '../../support/database.ts';
import { bundleForBrowsers } from '../bundle.ts';
import { newSecret } from '../endpoint/shop.ts';
import { play, transcript } from '../harness/play.ts';
import { compile, createScratch, type Scratch } from './scratch.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

let scratch: Scratch;
beforeAll(async () => {
  scratch = await createScratch([
    'test/clients/packages/consumer/every-entry.ts',
    'test/clients/packages/consumer/one-write.ts',
    'test/clients/typescript/harness.ts',
    'test/clients/typescript/node-harness.ts',
    'test/clients/typescript/whole-client.ts',
    'examples/endpoint-minimal/main.ts',
  ]);
});
afterAll(() => scratch?.remove());

const at = (...path: string[]) => join(scratch.folder, ...path);

/** Of our packages and of the programs; libraries of others have errors of their own, which are not ours to tell. */
const ours = (lines: readonly string[]) =>
  lines.filter((line) => !/^node_modules\/(?!@tether\/)/.test(line) && !/^ /.test(line));

test('the packages are installed from their tarballs, and none is a link', async () => {
  for (const { folder } of packages) {
    const { name } = (await import(join(root, folder, 'package.json'), { with: { type: 'json' } })).default;
    expect(await realpath(at('node_modules', name))).toBe(join(await realpath(scratch.folder), 'node_modules', name));
  }
});

test.each([
  { resolution: 'nodenext', options: { module: 'nodenext', types: ['node'], outDir: 'out' } },
  { resolution: 'bundler', options: { module: 'esnext', moduleResolution: 'bundler', types: ['node'], noEmit: true } },
])(
  'programs over every way in compile, with everything checked, by the resolution $resolution',
  async ({ options }) => {
    expect(ours(await compile(scratch.folder, options, ['src']))).toEqual([]);
  },
);

test('a page needs no types of Node, and no library of the client has an error either', async () => {
  const page = { module: 'esnext', moduleResolution: 'bundler', types: [], lib: ['es2024', 'dom', 'dom.iterable'] };
  expect(await compile(scratch.folder, { ...page, noEmit: true }, ['src/whole-client.ts'])).toEqual([]);
});

test('every way in for vendors runs on Node', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [at('out/every-entry.js')], { cwd: scratch.folder });
  expect(stdout).toBe('0 true 7 tether.v1.ToolEndpoint true 200 {"ticket_id":"T-1","status":"open"}\n');
});

test.each(['connect', 'grpc'])(
  'the packed client drives a running server through the transcript, by %s',
  async (by) => {
    expect(await play({ command: process.execPath, args: [at('out/node-harness.js'), by] })).toBe(transcript);
  },
);

test('packed server, packed vendor and packed client make one write together', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tether-packed-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const [vendors, tethers] = [await createDatabase({ empty: true }), await createDatabase({ empty: true })];
  onTestFinished(() => Promise.all([vendors.drop(), tethers.drop()]).then(() => undefined));
  const [PORT, SIGNING_SECRET] = [String(await closedPort()), newSecret()];
  await firstLine(process.execPath, [at('out/main.js')], { DATABASE_URL: vendors.url, SIGNING_SECRET, PORT }, /^ready/);

  const data = join(home, 'data');
  await mkdir(data);
  const catalog = await readFile(join(root, 'examples/endpoint-minimal/tether.yaml'), 'utf8');
  await writeFile(join(home, 'tether.yaml'), catalog.replace('127.0.0.1:8090', `127.0.0.1:${PORT}`));
  const line = await firstLine(
    at('node_modules/.bin/tether'),
    ['serve'],
    {
      ...{
        DATABASE_URL: tethers.url,
        SIGNING_SECRET,
        TETHER_DATA_DIR: data,
        TETHER_CATALOG: join(home, 'tether.yaml'),
      },
      ...{ TETHER_HTTP_PORT: '0', TETHER_GRPC_PORT: '0', TETHER_LOG_LEVEL: 'warn' },
    },
    /^tether is ready/,
  );
  const [, HTTP_URL = '', GRPC_ADDRESS = ''] = /HTTP (\S+), gRPC (\S+)/.exec(line) ?? [];
  const env = { ...process.env, HTTP_URL, GRPC_ADDRESS, KEYS: join(data, 'keys.json') };
  const { stdout } = await promisify(execFile)(process.execPath, [at('out/one-write.js')], { env });
  expect(stdout.split('\n')).toEqual([
    'PENDING',
    'EXECUTED',
    'SUCCEEDED APPLIED VERIFIED {"ticket_id":"T-1","status":"void"}',
    'PERMISSION_DENIED',
    '',
  ]);
});

test('the packed kit finds the packed vendor to keep its side', async () => {
  const database = await createDatabase({ empty: true });
  onTestFinished(() => database.drop());
  const [PORT, SIGNING_SECRET] = [String(await closedPort()), newSecret()];
  await firstLine(
    process.execPath,
    [at('out/main.js')],
    { DATABASE_URL: database.url, SIGNING_SECRET, PORT },
    /^ready/,
  );
  await database.query("insert into tickets select 'T-' || n, 'open' from generate_series(1000, 1999) n");
  const call = [
    '--signing-secret-env',
    'SIGNING_SECRET',
    '--probe',
    '--first-number',
    '1000',
    '--tool',
    'void_ticket',
    '--read',
    'get_ticket',
  ];
  const what = [
    '--args',
    '{"ticket_id":"T-{{number}}"}',
    '--refused-args',
    '{"ticket_id":"T-3"}',
    '--read-args',
    '{"ticket_id":"T-1"}',
  ];
  const { stdout } = await promisify(execFile)(
    at('node_modules/.bin/tether-endpoint-check'),
    [`http://127.0.0.1:${PORT}`, ...call, ...what],
    { env: { ...process.env, SIGNING_SECRET } },
  );
  expect(stdout).toMatch(/ 0 failed/);
});

test('a page that uses the packed client carries less than 60 KB for it, and nothing of Node', async () => {
  const code = await bundleForBrowsers(at('src/whole-client.ts'));
  const bytes = gzipSync(code, { level: 9 }).byteLength;
  console.log(`the packed client with Connect-Web: ${code.length} bytes minified, ${bytes} gzipped (limit 60000)`);
  expect(bytes).toBeLessThan(60_000);
  expect(code).not.toMatch(/node:|__vite-browser-external|process\.env/);
});

/** Starts a program that ends with the test; resolves with the first line that it prints like that, rejects when it ended without. */
async function firstLine(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  like: RegExp,
): Promise<string> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...env },
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  for await (const line of createInterface(child.stdout)) if (like.test(line)) return line;
  throw new Error(`${command} ended without ${like}`);
}
