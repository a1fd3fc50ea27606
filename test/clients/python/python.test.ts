import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { pythonDifferences } from '../../../scripts/check/generated.ts';
import { execute } from '../../../scripts/check/step.ts';
import { canInstall } from '../../../scripts/python-packages.ts';
import { authority, server } from '../../dispatch/certificates.ts';
import { template } from '../../support/database-server.ts';
import { npmStart } from '../../support/npm-start.ts';
import { play, transcript } from '../harness/play.ts';
import { toolchain } from '../toolchain.ts';
import { copySource, type InstalledPackage, installPackage, source } from './installed-package.ts';
import { startTwoVendors } from './two-vendors.ts';

const minutes = 60_000;
const { cert, key } = server;

describe.runIf(await toolchain('python3', [...canInstall]))('the package in Python', { timeout: 5 * minutes }, () => {
  let installed: InstalledPackage;
  beforeAll(async () => {
    installed = await installPackage();
  }, 5 * minutes);
  afterAll(() => installed.remove());

  /** Runs a program of the environment in the package's folder; resolves with what it said, if it ended well. */
  async function python(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const { ok, output } = await execute('env', ['-C', source, ...variables, installed.python, '-B', ...args]);
    if (!ok) throw new Error(output);
    return output;
  }

  test('has in its wheel what it should, and nothing else', () => {
    const outside = installed.files.filter((file) => !/^tether(-\d[\w.]*\.dist-info)?\//.test(file));
    expect(outside).toEqual([]);
    expect(installed.files).toEqual(
      expect.arrayContaining(['tether/py.typed', 'tether/endpoint/ledger.sql', 'tether/v1/action_pb2.pyi']),
    );
  });

  test('says which packages it needs, and works with those that it is tested with', async () => {
    const { ok, output } = await execute('python3', ['-m', 'pip', '--python', installed.python, 'check']);
    expect({ ok, output }).toEqual({ ok: true, output: expect.stringContaining('No broken requirements') });
  });

  test('has types that hold, within it and for those who use it', async () => {
    const cache = ['--cache-dir', join(installed.scratch, 'mypy')];
    await python(['-m', 'mypy', ...cache, 'src', 'generate.py']);
    await python(['-m', 'mypy', ...cache, 'tests', 'examples']);
  });

  test('is linted and formatted', async () => {
    await python(['-m', 'ruff', 'check', '--no-cache', '.']);
    await python(['-m', 'ruff', 'format', '--no-cache', '--check', '.']);
  });

  test('is generated from the contract as it is', async () => {
    expect(await pythonDifferences(installed.packages)).toEqual([]);
  });

  test(
    'keeps its promises against a server and a vendor',
    async () => {
      const env = {
        PYTEST_NODE: process.execPath,
        PYTEST_DATABASE_SERVER: inject('databaseServer'),
        PYTEST_DATABASE_TEMPLATE: template,
        PYTEST_CERTIFICATES: join(installed.scratch, 'certificates'),
        PYTHONPATH: installed.packages,
      };
      await mkdir(env.PYTEST_CERTIFICATES);
      for (const [name, text] of Object.entries({ 'authority.pem': authority, 'server.pem': cert, 'server.key': key }))
        await writeFile(join(env.PYTEST_CERTIFICATES, name), text);
      const said = await python(['-m', 'pytest', '-q', '--basetemp', join(installed.scratch, 'pytest')], env);
      expect(said).toMatch(/^\d+ passed in /m);
    },
    15 * minutes,
  );

  test('keeps one ledger with the package in TypeScript: what one did, the other answers', async () => {
    const schema = 'ledger/ledger.sql';
    expect(await readFile(join(source, 'src/tether/endpoint/ledger.sql'), 'utf8')).toBe(
      await readFile(join(source, '../endpoint/src', schema), 'utf8'),
    );
    const vendors = await startTwoVendors(installed.python);
    for (const [first, second] of [
      ['TypeScript', 'Python'],
      ['Python', 'TypeScript'],
    ] as const) {
      const done = writeOf({ name: 'Käse €', n: 1e21, small: 1e-7, nested: { b: [1, null], a: true } });
      const answer = await vendors.ask(first, done);
      expect(JSON.parse(answer.text)).toMatchObject({ name: 'Käse €', by: first });
      expect(await vendors.ask(second, { ...done, attempt: 2 })).toEqual(answer);
      expect((await vendors.ask(second, { ...done, args: { name: 'other' } })).text).toContain(
        'idempotency_key_reused',
      );
      expect(JSON.parse((await vendors.ask(second, questionOf(done))).text)).toEqual({
        disposition: 'executed',
        result: JSON.parse(answer.text),
      });

      const refused = writeOf({ refuse: { ...reason } });
      const refusal = await vendors.ask(first, refused);
      expect(JSON.parse(refusal.text)).toMatchObject({ error: 'sold_out', received: 7, effect: 'none' });
      expect(JSON.parse((await vendors.ask(second, refused)).text)).toEqual(JSON.parse(refusal.text));

      const withdrawn = writeOf({ name: 'late' });
      expect((await vendors.ask(first, questionOf(withdrawn))).text).toBe('{"disposition":"not_executed"}');
      expect(await vendors.ask(second, withdrawn)).toMatchObject({ status: 425 });
    }
    await vendors.close();
  });

  test('prints the transcript of the harness', async () => {
    const program = { command: installed.python, args: ['-B', join(source, 'examples/harness.py')] };
    expect(await play(program)).toBe(transcript);
  });

  test('does what its README begins with, when that is pasted', async () => {
    const home = join(installed.scratch, 'readme');
    const started = npmStart(join(home, '.tether'));
    const { grpc } = await started.addresses;
    await copySource(join(home, 'clients/python'));
    const readme = await readFile(join(source, 'README.md'), 'utf8');
    const [, pasted = ''] = /^```sh\n([\s\S]*?)^```/m.exec(readme) ?? [];
    // What it needs is here already: nothing is asked of an index. (pip reads this variable the wrong way round.)
    const offline = {
      PIP_NO_INDEX: '1',
      PIP_NO_DEPS: '1',
      PIP_NO_BUILD_ISOLATION: '0',
      PYTHONPATH: installed.packages,
    };
    const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', pasted.replaceAll('127.0.0.1:50051', grpc)], {
      ...{ cwd: home, env: { ...process.env, ...offline } },
    });
    expect(stdout).toMatch(/^read: \{"ticket_id":"T-4435".*"status":"open"/m);
    expect(stdout).toMatch(/^proposed: \{"preview":true,/m);
    expect(stdout).toMatch(/^confirmed: EXECUTED$/m);
    expect(stdout).toMatch(/^outcome: SUCCEEDED APPLIED \{.*"effect":"APPLIED"/m);
    expect(await started.stop()).toBe(0);
  });
});

/** The call of a write, under a key of its own. */
function writeOf(args: Readonly<Record<string, unknown>>) {
  return {
    ...{ request_id: randomBytes(16).toString('hex'), tool: 'count', args, tenant: { id: 'acme' } },
    ...{ is_write: true, mode: 'execute', action_id: randomUUID(), attempt: 1, deadline: '2999-01-01T00:00:00.000Z' },
  };
}

function questionOf({ args: _, deadline: __, ...call }: ReturnType<typeof writeOf>) {
  return { ...call, mode: 'probe' };
}

/** What both take for a refusal. */
const reason = {
  ...{ code: 'sold_out', message: 'There is none left, of 7.', field: 'n', received: 7, limit: 0, accepted: [0, 'x'] },
  ...{ retryable: true, alternatives: [{ action: 'call', tool: 'count', arguments: { n: 0 }, cost: 1 }] },
};
