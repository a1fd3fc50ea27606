import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../server/config.ts';

test('without any setting the documented defaults are in force', () => {
  expect(readConfig({})).toEqual({
    databaseUrl: null,
    ownerDatabaseUrl: null,
    migrate: 'auto',
    databasePool: 10,
    dataDir: '.tether',
    host: '127.0.0.1',
    httpPort: 8080,
    grpcPort: 50051,
    tls: null,
    corsOrigins: [],
    limits: {
      connections: 4096,
      callsPerSecond: 1000,
      streamsPerCredential: 100,
      failedKeysPerSecond: 20,
      grpc: { ageMs: 1_800_000 },
    },
    catalog: 'tether.yaml',
    logLevel: 'info',
    metricsToken: null,
    traces: null,
    drainDelayMs: 0,
    drainMs: 30_000,
    retention: { actionsMs: 30 * 86_400_000, eventsMs: 365 * 86_400_000 },
  });
});

test('every problem is named at once, with its setting and what would be accepted', () => {
  const read = () =>
    readConfig({
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      TETHER_HTTP_PORT: '80a',
      TETHER_GRPC_PORT: '70000',
      TETHER_LOG_LEVEL: 'loud',
      TETHER_DRAIN_SECONDS: '-1',
      TETHER_HTTP_PROT: '1',
    });
  const problems = problemsOf(read);
  expect(problems).toHaveLength(6);
  expect(problems.join('\n')).toMatch(/DATABASE_URL .*postgresql:\/\//);
  expect(problems.join('\n')).toMatch(/TETHER_HTTP_PORT is "80a"; .* 0 to 65535/);
  expect(problems.join('\n')).toMatch(/TETHER_GRPC_PORT is "70000"/);
  expect(problems.join('\n')).toMatch(/TETHER_LOG_LEVEL is "loud"; .*silent/);
  expect(problems.join('\n')).toMatch(/TETHER_DRAIN_SECONDS is "-1"/);
  expect(problems.join('\n')).toMatch(/TETHER_HTTP_PROT is no setting/);
});

test('the owner of the tables is another user of a database that is named', () => {
  const owner = 'postgresql://owner:hunter2@db/tether';
  expect(problemsOf(() => readConfig({ TETHER_OWNER_DATABASE_URL: owner }))).toEqual([
    expect.stringContaining('another user of the database that DATABASE_URL names'),
  ]);
  const read = readConfig({ DATABASE_URL: 'postgresql://app@db/tether', TETHER_OWNER_DATABASE_URL: owner });
  expect(read).toMatchObject({ ownerDatabaseUrl: owner, migrate: 'auto' });
  const problems = problemsOf(() =>
    readConfig({ TETHER_OWNER_DATABASE_URL: 'hunter2', TETHER_MIGRATE: 'later' }),
  ).join();
  expect(problems).toMatch(/TETHER_MIGRATE is "later"; it takes one of auto, off/);
  expect(problems).not.toContain('hunter2');
});

test('a password in a wrong DATABASE_URL is not repeated', () => {
  expect(problemsOf(() => readConfig({ DATABASE_URL: 'mysql://root:hunter2@db/x' })).join()).not.toContain('hunter2');
});

test.each([
  ['sslmod=require', /has the parameter "sslmod", which cannot be kept; it takes sslmode, /],
  ['sslmode=prefer', /has sslmode=prefer; it takes disable, require, verify-ca, verify-full/],
  ['sslmode=no-verify', /has sslmode=no-verify/],
  ['sslmode=', /empty sslmode/],
  ['sslmode=verify-full&sslmode=disable', /has sslmode more than once/],
  ['sslrootcert=/root.pem', /has sslrootcert and no sslmode, .* add sslmode=verify-full/],
  ['sslmode=disable&sslrootcert=/root.pem', /has sslrootcert beside sslmode=disable/],
  ['sslmode=verify-ca', /verify-ca, which takes sslrootcert too/],
  ['sslmode=require&sslcert=/client.pem', /one of sslcert and sslkey/],
  [
    'sslmode=verify-full&sslrootcert=/nothing/root.pem',
    /a file in sslrootcert that cannot be read \(ENOENT\): \/nothing\//,
  ],
  [`sslmode=verify-full&sslrootcert=${import.meta.filename}`, /sslrootcert that holds no certificate in PEM/],
  [`sslmode=require&sslcert=${import.meta.filename}&sslkey=${import.meta.filename}`, /files that TLS cannot use/],
  ['sslmode=require&sslnegotiation=dirct', /sslnegotiation=dirct; it takes postgres, direct/],
  ['connect_timeout=soon', /has connect_timeout=soon; it takes a number of seconds/],
  ['sslmode=require&channel_binding=require', /channel_binding=require, .*leave it out, and say sslmode=verify-full/],
  ['sslmode=require&channel_binding=maybe', /channel_binding=maybe; it takes prefer, disable/],
  ['host=one,two', /names several hosts/],
  ['port=many', /has port=many/],
  ['port=70000', /has port=70000; it takes a number from 1 to 65535/],
  ['port=0', /has port=0/],
])('an address of a database with ?%s is refused, and not half understood', (query, problem) => {
  const problems = problemsOf(() => readConfig({ DATABASE_URL: `postgres://app:hunter2@db/tether?${query}` }));
  expect(problems[0]).toMatch(problem);
  for (const each of problems) expect(each).toMatch(/^DATABASE_URL /);
  expect(problems.join()).not.toContain('hunter2');
});

test('an IP address cannot be held against the name in a certificate, and a lone % escapes nothing', () => {
  for (const host of ['192.0.2.1', '[2001:db8::1]'])
    expect(
      problemsOf(() => readConfig({ DATABASE_URL: `postgres://db@${host}/x?sslmode=verify-full` })).join(),
    ).toMatch(/verify-full and an IP address/);
  expect(problemsOf(() => readConfig({ DATABASE_URL: 'postgres://app:10%zz@db/x' })).join()).toMatch(/write it as %25/);
});

test.each([
  'postgres://app:12?hunter2@db/tether',
  'postgres://app:12#hunter2@db/tether',
  'postgres://db/tether?user=app&password=a&hunter2',
  'postgres://db/tether?user=app&password=a&hunter=2',
  'postgres://db/tether?user=app&password=a&hunter&hunter',
  'postgres://app:1%2hunter2@db/tether',
])('%s, where a password is not escaped, is refused with what to do and without the password', (address) => {
  const said = problemsOf(() => readConfig({ DATABASE_URL: address })).join();
  expect(said).toMatch(/^DATABASE_URL .*write .* as %/);
  expect(said).not.toContain('hunter');
});

test('what an address of a database asks for reaches the driver, who reads it as the manual of PostgreSQL does', () => {
  const read = (text: string) => readConfig({ DATABASE_URL: text }).databaseUrl ?? '';
  const asked = read(
    'postgresql://app:p%25w@db:6432/tether?sslmode=require&application_name=a%20b&options=-c%20x.y%3D1',
  );
  expect(new pg.Client(asked)).toMatchObject({
    ...{ user: 'app', password: 'p%w', host: 'db', port: 6432, database: 'tether', ssl: { rejectUnauthorized: false } },
    connectionParameters: { application_name: 'a b', options: '-c x.y=1' },
  });
  // What `npm start` hands on is read again.
  expect(read(asked)).toBe(asked);
  expect(new pg.Client(read('postgres://app@/tether?host=/run/postgresql&sslmode=require'))).toMatchObject({
    ...{ user: 'app', host: '/run/postgresql', database: 'tether', ssl: false },
  });
  // As providers write them: whatever the driver would leave unread does not get that far.
  const provided = read('postgres://app@db/tether?sslmode=verify-full&channel_binding=prefer&connect_timeout=15');
  expect(new URL(provided).searchParams.toString()).toBe('sslmode=verify-full&uselibpqcompat=true');
  expect(new pg.Client(read('postgres:///tether'))).toMatchObject({ host: 'localhost', port: 5432, ssl: false });
});

test('two doors on one port are refused, two free ports are not', () => {
  expect(problemsOf(() => readConfig({ TETHER_HTTP_PORT: '9000', TETHER_GRPC_PORT: '9000' })).join()).toContain('9000');
  expect(readConfig({ TETHER_HTTP_PORT: '0', TETHER_GRPC_PORT: '0' }).httpPort).toBe(0);
});

test('TLS takes a certificate and its key, and asks callers for one only beside them', () => {
  const files = { TETHER_TLS_CERT: '/c.pem', TETHER_TLS_KEY: '/k.pem' };
  expect(readConfig(files).tls).toEqual({ cert: '/c.pem', key: '/k.pem', clientCa: null });
  expect(readConfig({ ...files, TETHER_TLS_CLIENT_CA: '/ca.pem' }).tls).toMatchObject({ clientCa: '/ca.pem' });
  for (const { some, problem } of [
    { some: { TETHER_TLS_CERT: '/c.pem' }, problem: /TETHER_TLS_CERT is given and TETHER_TLS_KEY is not/ },
    { some: { TETHER_TLS_KEY: '/k.pem' }, problem: /TETHER_TLS_KEY is given and TETHER_TLS_CERT is not/ },
    { some: { TETHER_TLS_CLIENT_CA: '/ca.pem' }, problem: /TETHER_TLS_CLIENT_CA asks .* takes TETHER_TLS_CERT/ },
  ])
    expect(problemsOf(() => readConfig(some))).toEqual([expect.stringMatching(problem)]);
});

test('origins are taken exactly as a browser sends them, and nothing wider', () => {
  const read = (TETHER_CORS_ORIGINS: string) => readConfig({ TETHER_CORS_ORIGINS }).corsOrigins;
  expect(read('https://a.example, http://localhost:5173,,https://a.example')).toEqual([
    'https://a.example',
    'http://localhost:5173',
  ]);
  for (const bad of ['*', 'null', 'a.example', 'https://*.a.example', 'file:///x', 'https://', 'ws://a.example'])
    expect(problemsOf(() => read(`https://a.example,${bad}`))).toEqual([
      expect.stringContaining(`TETHER_CORS_ORIGINS has ${JSON.stringify(bad)}; it takes exact origins`),
    ]);
  for (const near of ['https://a.example/', 'https://A.example', 'https://a.example:443', 'https://u:p@a.example'])
    expect(problemsOf(() => read(near))).toEqual([expect.stringMatching(/ Is it https:\/\/a\.example\?$/)]);
});

describe('traces', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
  const batch = {
    maxQueueSize: undefined,
    maxExportBatchSize: undefined,
    scheduledDelayMillis: undefined,
    exportTimeoutMillis: undefined,
  };

  test('are recorded when there is an address for them, as the standard has it', () => {
    expect(readConfig({ OTEL_TRACES_SAMPLER: 'always_on', OTEL_BSP_SCHEDULE_DELAY: '10' }).traces).toBeNull();
    expect(readConfig(endpoint).traces).toEqual({
      protocol: 'http/protobuf',
      sampler: { name: 'parentbased_always_on', ratio: 1 },
      batch,
    });
    const all = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '.25',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    };
    expect(readConfig(all).traces).toEqual({
      protocol: 'http/json',
      sampler: { name: 'parentbased_traceidratio', ratio: 0.25 },
      batch: { ...batch, scheduledDelayMillis: 100 },
    });
    for (const off of [{ OTEL_SDK_DISABLED: 'TRUE' }, { OTEL_TRACES_EXPORTER: 'none' }])
      expect(readConfig({ ...endpoint, ...off }).traces).toBeNull();
  });

  test('with settings that cannot be used stop the start, all named at once', () => {
    const wrong = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_EXPORTER: 'zipkin',
      OTEL_TRACES_SAMPLER: 'sometimes',
      OTEL_TRACES_SAMPLER_ARG: '2',
      OTEL_BSP_MAX_QUEUE_SIZE: 'many',
    };
    const problems = problemsOf(() => readConfig(wrong));
    expect(problems).toHaveLength(6);
    for (const name of Object.keys(wrong)) expect(problems.join('\n')).toContain(`${name} is `);
  });
});

describe('a secret in a file', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tether-secrets-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  async function fileWith(text: string): Promise<string> {
    const file = join(directory, 'secret');
    await writeFile(file, text);
    return file;
  }

  test('is as good as one in the environment, without the line break at its end', async () => {
    const file = await fileWith('postgres://tether:hunter2@db/tether\n');
    expect(readConfig({ DATABASE_URL_FILE: file }).databaseUrl).toBe('postgres://tether:hunter2@db/tether');
  });

  test('that cannot be read, is empty, or is given twice is told without what is in it', async () => {
    const file = await fileWith('mysql://tether:hunter2@db/tether');
    const empty = join(directory, 'empty');
    await writeFile(empty, '\n');
    for (const [env, problem] of [
      [
        { DATABASE_URL_FILE: join(directory, 'nothing') },
        /DATABASE_URL_FILE names .*nothing, which cannot be read \(ENOENT\)/,
      ],
      [{ DATABASE_URL_FILE: empty }, /DATABASE_URL_FILE names .*empty, which is empty/],
      [{ DATABASE_URL_FILE: file }, /DATABASE_URL is no address of a PostgreSQL/],
      [{ DATABASE_URL_FILE: file, DATABASE_URL: 'postgres://db/x' }, /DATABASE_URL and DATABASE_URL_FILE are both set/],
    ] as const) {
      const problems = problemsOf(() => readConfig(env));
      expect(problems.join()).toMatch(problem);
      expect(problems).toHaveLength(1);
      expect(problems.join()).not.toContain('hunter2');
    }
  });

  test('is for secrets: no other setting is read from one', () => {
    expect(problemsOf(() => readConfig({ TETHER_HOST_FILE: '/etc/hostname' })).join()).toContain(
      'TETHER_HOST_FILE is no setting',
    );
  });
});

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
