/** Endpoints in three languages, as their READMEs have them, keep their side: each a process of its own over a database. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { canInstall } from '../../../scripts/python-packages.ts';
import { closedPort } from '../../dispatch/raw-server.ts';
import { createDatabase } from '../../support/database.ts';
import { newSecret } from '../endpoint/shop.ts';
import { go, goRuns } from '../go/go.ts';
import { installPackage, source as pythonSource } from '../python/installed-package.ts';
import { toolchain } from '../toolchain.ts';
import { checkEndpoint, type Report, those } from './checked.ts';
import { startProgram } from './program.ts';

const root = join(import.meta.dirname, '../../..');
const secret = newSecret();

async function emptyDatabase() {
  const database = await createDatabase({ empty: true });
  onTestFinished(() => database.drop());
  return database;
}

/** A database with more open tickets than the checks void. */
async function tickets() {
  const database = await emptyDatabase();
  await database.query('create table tickets (id text primary key, status text not null)');
  await database.query(`insert into tickets select 'T-' || n, 'open' from generate_series(101, 200) n`);
  return database;
}

const signed = ['--signing-secret-env', 'SECRET', '--probe'];

const ticketArgs = [
  ...['--tool', 'void_ticket', '--args', '{"ticket_id":"T-{{number}}"}', '--first-number', '101'],
  ...['--refused-args', '{"ticket_id":"T-9"}', '--read', 'get_ticket', '--read-args', '{"ticket_id":"T-200"}'],
  ...signed,
];

function expectAllPassed(report: Report, warned: Record<string, unknown> = {}): void {
  expect({ failed: those(report, 'failed'), warned: those(report, 'warned') }).toEqual({ failed: {}, warned });
  expect(Object.keys(those(report, 'skipped'))).toEqual(['bearer-required']);
  expect(report.code).toBe(0);
}

test('the point of sale keeps its side', async () => {
  const database = await emptyDatabase();
  const env = { POS_DATABASE_URL: database.url, POS_PORT: '0', POS_SIGNING_SECRET: secret };
  const program = join(root, 'examples/point-of-sale/main.ts');
  const url = await startProgram([process.execPath, program], env, /^ready on (http:\S+)$/);
  const args = [
    ...['--tool', 'change_price', '--args', '{"item_id":"soda","price_usd":"{{number}}"}'],
    ...[
      '--refused-args',
      '{"item_id":"soda","price_usd":-1}',
      '--read',
      'get_item',
      '--read-args',
      '{"item_id":"soda"}',
    ],
    ...signed,
  ];
  const report = await checkEndpoint({ url, transport: 'json' }, args, { SECRET: secret });
  // It serves one shop, and says so.
  expectAllPassed(report, { 'tenants-are-apart': expect.stringContaining('serves one tenant only') });
});

test('the program of forty lines in TypeScript keeps its side', async () => {
  const database = await tickets();
  const env = { DATABASE_URL: database.url, SIGNING_SECRET: secret, PORT: String(await closedPort()) };
  const program = join(root, 'examples/endpoint-minimal/main.ts');
  const port = await startProgram([process.execPath, program], env, /^ready on port (\d+)$/);
  const report = await checkEndpoint({ url: `http://127.0.0.1:${port}`, transport: 'json' }, ticketArgs, {
    SECRET: secret,
  });
  expectAllPassed(report);
});

test.runIf(await toolchain('go', ['version']))('the program in Go keeps its side', goRuns, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tether-check-go-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await go(['build', '-o', `${directory}/`, './examples/endpoint']);
  const database = await tickets();
  const env = { DATABASE_URL: database.url, SIGNING_SECRET: secret, PORT: '0' };
  const port = await startProgram([join(directory, 'endpoint')], env, /^ready on port (\d+)$/);
  const report = await checkEndpoint({ url: `http://127.0.0.1:${port}`, transport: 'json' }, ticketArgs, {
    SECRET: secret,
  });
  expectAllPassed(report);
});

test.runIf(await toolchain('python3', [...canInstall]))(
  'the program in Python keeps its side, and over gRPC too',
  { timeout: 300_000 },
  async () => {
    const installed = await installPackage();
    onTestFinished(() => installed.remove());
    const database = await tickets();
    const env = { DATABASE_URL: database.url, SIGNING_SECRET: secret, PORT: '0' };
    for (const [program, transport] of [
      ['examples/endpoint.py', 'json'],
      ['tests/grpc_vendor.py', 'grpc'],
    ] as const) {
      const command = [installed.python, '-B', join(pythonSource, program)] as const;
      const url = await startProgram([...command], env, /answers on (http:\S+)$/);
      await database.query("update tickets set status = 'open'");
      expectAllPassed(await checkEndpoint({ url, transport }, ticketArgs, { SECRET: secret }));
    }
  },
);
