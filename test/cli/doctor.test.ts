import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Finding } from '../../server/cli/doctor/finding.ts';
import { server as vendors } from '../dispatch/certificates.ts';
import { certificate, privateKey } from '../dispatch/loopback-certificate.ts';
import { startServer } from '../faults/server-process.ts';
import { type Endpoint, startEndpoint } from '../support/endpoint.ts';
import { npmStart } from '../support/npm-start.ts';
import { examine as examineAs } from './examine.ts';
import { tether } from './run.ts';

let dir: string;
let endpoint: Endpoint;
let env: Record<string, string>;
beforeAll(async () => {
  endpoint = await startEndpoint();
});
afterAll(() => endpoint.close());
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tether-doctor-'));
  await writeFile(join(dir, 'tether.yaml'), catalogOf(endpoint.url));
  env = {
    TETHER_DATA_DIR: join(dir, 'data'),
    TETHER_CATALOG: join(dir, 'tether.yaml'),
    TETHER_HTTP_PORT: '0',
    TETHER_GRPC_PORT: '0',
  };
});
afterEach(() => rm(dir, { recursive: true, force: true }));

function catalogOf(url: string): string {
  return `{ version: 1, endpoints: { pos: { transport: json, url: "${url}" } },
    tools: { get_ticket: { endpoint: pos, description: A ticket., input: { type: object } } } }`;
}

const examine = (more: Readonly<Record<string, string>> = {}) => examineAs({ ...env, ...more });

describe('tether doctor', { timeout: 180_000 }, () => {
  test('finds that all is well, beside a server that runs, but for the keys of its first start', async () => {
    const { TETHER_DATA_DIR: dataDir = '', TETHER_CATALOG: catalog = '' } = env;
    const server = await startServer({ databaseUrl: '', dataDir, catalog, keys: { agent: '', approver: '' } });
    try {
      const ports = {
        TETHER_HTTP_PORT: new URL(server.httpUrl).port,
        TETHER_GRPC_PORT: server.grpcAddress.split(':').at(-1) ?? '',
      };
      const beside = await tether(['doctor', '--json'], { ...env, ...ports });
      const { status, checks } = JSON.parse(beside.out);
      const unwell = checks.filter((each: Finding) => each.status !== 'ok');
      expect({ status, code: beside.code, unwell }).toEqual({
        status: 'warn',
        code: 1,
        unwell: [
          expect.objectContaining({
            check: 'first-keys',
            message: expect.stringContaining('still good: agent, approver, operator'),
          }),
        ],
      });
      for (const check of ['http-port', 'grpc-port'])
        expect(checks).toContainEqual(
          expect.objectContaining({ check, message: expect.stringContaining('by a tether that runs') }),
        );
      const key = JSON.parse(await readFile(join(dataDir, 'keys.json'), 'utf8')).operator;
      expect(beside.out).not.toContain(key.slice(20));
      await rm(join(dataDir, 'keys.json'));
      const well = await tether(['doctor'], { ...env, ...ports });
      expect(well).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/\nAll is well\.\n$/) });
    } finally {
      await server.stop();
    }
  });

  test('beside npm start makes every check that can be made, and says how to make the one that cannot', async () => {
    const started = npmStart(join(dir, 'data'));
    onTestFinished(async () => void (await started.stop()));
    const { http, grpc } = await started.addresses;
    const settings = {
      TETHER_DATA_DIR: join(dir, 'data'),
      TETHER_HTTP_PORT: http.split(':').at(-1) ?? '',
      TETHER_GRPC_PORT: grpc.split(':').at(-1) ?? '',
    };
    const catalog = 'examples/point-of-sale/tether.yaml';
    for (const [more, message] of [
      [{}, /^tether\.yaml: There is no such file.* could not be looked at$/],
      [{ TETHER_CATALOG: catalog }, /POS_SIGNING_SECRET is not set.* could not be looked at$/],
    ] as const) {
      const { out, code } = await tether(['doctor', '--json'], { ...settings, ...more });
      const { checks } = JSON.parse(out);
      expect(checks.filter((each: Finding) => each.status !== 'ok')).toEqual([
        {
          ...{ check: 'catalog', status: 'warn', message: expect.stringMatching(message) },
          advice: expect.stringContaining(catalog),
        },
        expect.objectContaining({ check: 'first-keys', status: 'warn' }),
      ]);
      for (const check of ['http-port', 'grpc-port', 'database', 'schema', 'trail', 'connections'])
        expect(checks).toContainEqual(expect.objectContaining({ check, status: 'ok' }));
      expect(code).toBe(1);
    }
    const wrong = await tether(['doctor', '--json'], { ...settings, TETHER_CATALOG: 'nowhere.yaml' });
    expect(JSON.parse(wrong.out).checks).toContainEqual(expect.objectContaining({ check: 'catalog', status: 'fail' }));
    expect(wrong.code).toBe(2);
  });

  test('where no server runs a catalog that there is not is a failure, and it says where to look', async () => {
    const { of, code } = await examine({ TETHER_CATALOG: '' });
    expect(of('catalog')).toMatchObject([{ status: 'fail', advice: expect.stringContaining('TETHER_CATALOG') }]);
    expect(of('database')[0]?.message).toContain('the first start makes it');
    expect(code).toBe(2);
  });

  test('looks at a machine on which nothing was ever started, and leaves nothing there', async () => {
    const { code, of } = await examine();
    expect(code).toBe(0);
    expect(of('database')[0]?.message).toContain('the first start makes it');
    expect(of('endpoint pos')[0]?.message).toContain('can be reached');
    await expect(readFile(join(dir, 'data'))).rejects.toThrow('ENOENT');
    expect(endpoint.calls).toEqual([]);
  });

  test('tells every wrong setting, and looks no further', async () => {
    const { code, out, of } = await examine({ TETHER_HTTP_PORT: '80a', DATABASE_URL: 'mysql://root:hunter2@db/x' });
    expect(code).toBe(2);
    expect(of('settings').map(({ status }) => status)).toEqual(['fail', 'fail']);
    expect(of('catalog')).toEqual([]);
    expect(out).not.toContain('hunter2');
  });

  test('finds a catalog that cannot be used, endpoints that are not there, and says where', async () => {
    await writeFile(join(dir, 'tether.yaml'), catalogOf('http://127.0.0.1:1/tools?token=hunter2'));
    const gone = await examine();
    expect(gone.code).toBe(1);
    expect(gone.of('endpoint pos')).toMatchObject([
      { status: 'warn', message: expect.stringContaining('ECONNREFUSED') },
    ]);
    expect(gone.out).not.toContain('hunter2');
    await writeFile(join(dir, 'tether.yaml'), 'version: 1\nendpoints: {}\ntools: { t: {} }\n');
    const broken = await examine();
    expect(broken.of('catalog')).toMatchObject([
      { status: 'fail', message: expect.stringContaining('tether.yaml:3: ') },
    ]);
    expect(broken.code).toBe(2);
  });

  test('finds ports that others use, and hosts that are not this machine’s', async () => {
    const stranger = createServer((socket) => socket.end('hello\n')).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const address = stranger.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const { of } = await examine({ TETHER_HTTP_PORT: port });
    const other = await examine({ TETHER_GRPC_PORT: port, TETHER_HOST: '127.0.0.1' });
    stranger.close();
    for (const [finding] of [of('http-port'), other.of('grpc-port')])
      expect(finding).toMatchObject({ status: 'fail', message: expect.stringContaining('not by a tether') });
    const elsewhere = await examine({ TETHER_HOST: '203.0.113.7', TETHER_HTTP_PORT: '18080' });
    expect(elsewhere.of('http-port')[0]?.message).toContain('EADDRNOTAVAIL');
    expect(elsewhere.of('tls')).toMatchObject([{ status: 'warn', message: expect.stringContaining('plain text') }]);
  });

  test('finds certificates that nobody believes, of endpoints and of our own', async () => {
    const vendor = createTlsServer(vendors).listen(0, '127.0.0.1');
    await once(vendor, 'listening');
    const address = vendor.address();
    await writeFile(
      join(dir, 'tether.yaml'),
      catalogOf(`https://localhost:${typeof address === 'object' ? address?.port : 0}`),
    );
    await writeFile(join(dir, 'cert.pem'), certificate);
    await writeFile(join(dir, 'key.pem'), privateKey);
    const tls = { TETHER_TLS_CERT: join(dir, 'cert.pem'), TETHER_TLS_KEY: join(dir, 'key.pem') };
    const { of } = await examine(tls);
    vendor.close();
    expect(of('endpoint pos')).toMatchObject([{ status: 'fail', message: expect.stringContaining('not believed') }]);
    expect(of('tls')).toMatchObject([{ status: 'ok', message: expect.stringContaining('valid until 2126-11-06') }]);
    await writeFile(join(dir, 'key.pem'), 'no key');
    expect((await examine(tls)).of('tls')).toMatchObject([
      { status: 'fail', message: expect.stringContaining('holds no private key') },
    ]);
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2126-11-01T00:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());
    await writeFile(join(dir, 'key.pem'), privateKey);
    expect((await examine(tls)).of('tls')).toMatchObject([
      { status: 'warn', advice: expect.stringContaining('renew it soon') },
    ]);
    vi.setSystemTime(new Date('2126-12-01T00:00:00Z'));
    expect((await examine(tls)).of('tls')).toMatchObject([
      { status: 'fail', advice: expect.stringContaining('renew it') },
    ]);
  });

  test('finds secrets that others may read', async () => {
    await mkdir(join(dir, 'data'), { mode: 0o700 });
    await writeFile(join(dir, 'data', 'keys.json'), '{}');
    await chmod(join(dir, 'data', 'keys.json'), 0o644);
    const { of } = await examine();
    expect(of('data-directory')).toMatchObject([
      { status: 'fail', message: expect.stringContaining('(mode 0644)'), advice: expect.stringContaining('chmod 600') },
    ]);
  });

  test('says why a database cannot be used', async () => {
    const { of, code } = await examine({ DATABASE_URL: 'postgresql://app:hunter2@127.0.0.1:1/tether' });
    expect(code).toBe(2);
    expect(of('database')).toMatchObject([{ status: 'fail', message: expect.stringContaining('ECONNREFUSED') }]);
    expect(of('schema')).toEqual([]);
  });
});
