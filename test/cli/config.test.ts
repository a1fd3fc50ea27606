import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { settings } from '../../server/settings.ts';
import { tether } from './run.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tether-config-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** The files of this repository and the packages that a command loaded. */
async function loadedBy(...args: string[]): Promise<string[]> {
  const { code } = await tether(args, { NODE_V8_COVERAGE: directory });
  expect(code).toBe(0);
  const reports = await Promise.all((await readdir(directory)).map((file) => readFile(join(directory, file), 'utf8')));
  return reports.flatMap((report) => JSON.parse(report).result.map(({ url }: { url: string }) => url));
}

describe('tether config', () => {
  test('tells every setting that is in force, and where it comes from', async () => {
    const { out, err, code } = await tether(['config'], { TETHER_HTTP_PORT: '9000', TETHER_HOST: ' ' });
    expect({ err, code }).toEqual({ err: '', code: 0 });
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s{2,}/));
    expect(rows.map(([name]) => name)).toEqual(Object.keys(settings));
    expect(rows).toContainEqual(['TETHER_HTTP_PORT', '9000', 'environment']);
    expect(rows).toContainEqual(['TETHER_HOST', '127.0.0.1', 'default']);
    expect(rows).toContainEqual(['DATABASE_URL', 'none', 'default']);
  });

  test('tells it to machines as JSON', async () => {
    const { out, code } = await tether(['config', '--json'], { TETHER_DATABASE_POOL: '4' });
    const { settings: told, problems } = JSON.parse(out);
    expect(told).toContainEqual({ name: 'TETHER_DATABASE_POOL', value: '4', from: 'environment' });
    expect(told).toContainEqual({ name: 'DATABASE_URL', value: null, from: 'default' });
    expect({ problems, code }).toEqual({ problems: [], code: 0 });
  });

  test('tells which variables of OpenTelemetry are set, but for the keys in their headers', async () => {
    const { out } = await tether(['config'], {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=hunter2',
    });
    expect(out).toMatch(/OTEL_EXPORTER_OTLP_ENDPOINT +http:\/\/collector:4318 +environment\n/);
    expect(out).toMatch(/OTEL_EXPORTER_OTLP_HEADERS +\*\*\* +environment\n/);
    expect(out).not.toContain('hunter2');
  });

  test('names every problem at once, and exits with 2', async () => {
    const wrong = {
      TETHER_HTTP_PORT: 'x',
      TETHER_LOG_LEVEL: 'loud',
      TETHER_FOO: '1',
      DATABASE_URL: 'mysql://u:hunter2@db/x',
    };
    const { out, err, code } = await tether(['config'], wrong);
    expect(code).toBe(2);
    expect(err.trimEnd().split('\n')).toHaveLength(4);
    for (const name of Object.keys(wrong)) expect(err).toContain(name);
    expect(out).toMatch(/TETHER_HTTP_PORT +x +environment/);
    const json = await tether(['config', '--json'], wrong);
    expect(JSON.parse(json.out).problems).toHaveLength(4);
    expect(json.code).toBe(2);
    for (const text of [out, err, json.out]) expect(text).not.toContain('hunter2');
  });

  test('masks what opens anything, wherever it comes from', async () => {
    const url = 'postgresql://tether:hunter2@db:5432/tether?sslmode=require&password=hunter3';
    const file = join(directory, 'url');
    await writeFile(file, `${url}\n`);
    for (const [env, from] of [
      [{ DATABASE_URL: url }, 'environment'],
      [{ DATABASE_URL_FILE: file }, 'file'],
    ] as const) {
      const { out, err, code } = await tether(['config', '--json'], env);
      expect(out + err).not.toMatch(/hunter/);
      expect(JSON.parse(out).settings).toContainEqual({
        name: 'DATABASE_URL',
        value: 'postgresql://tether:***@db:5432/tether?sslmode=require&password=***',
        from,
      });
      expect(code).toBe(0);
    }
  });

  test('shows nothing of an address in which a password is not escaped', async () => {
    for (const url of [
      'postgresql://tether:12?hunter2@db/tether',
      'postgresql://tether:12#hunter2@db/tether',
      'postgresql://db/tether?user=tether&password=a&hunter2',
    ]) {
      const { out, err, code } = await tether(['config', '--json'], { DATABASE_URL: url });
      expect(out + err).not.toContain('hunter2');
      expect(JSON.parse(out).settings).toContainEqual({ name: 'DATABASE_URL', value: '***', from: 'environment' });
      expect(code).toBe(2);
    }
  });
});

test.each([['--help'], ['config'], ['keys', '--help']])('tether %s loads no more than it needs', async (...args) => {
  const loaded = await loadedBy(...args);
  expect(loaded.some((url) => url.endsWith('/server/cli/program.ts'))).toBe(true);
  expect(
    loaded.filter((url) =>
      /server\/(store|doors|dispatch|jobs|telemetry)\/|mikro-orm|pino|opentelemetry|connectrpc|grpc|\/pg\//.test(url),
    ),
  ).toEqual([]);
});
