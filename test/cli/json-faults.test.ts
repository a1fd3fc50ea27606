import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTether } from '../../server/cli/program.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { tether } from './run.ts';

const id = '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33';
const acme = ['--tenant', 'acme'];
/** There is no such tenant. */
const acne = ['--tenant', 'acne'];

/** Every command that takes --json, as it is called rightly. */
const commands = {
  'tools check': ['good.yaml'],
  'actions list': [],
  'actions get': [id],
  'actions confirm': [id, '--yes'],
  'actions reject': [id, '--reason', 'No.'],
  'actions watch': [],
  config: [],
  'keys create': [...acme, '--role', 'agent'],
  'keys list': acme,
  'keys rotate': [id, ...acme],
  'keys revoke': [id, ...acme],
  'stop tool': ['void_ticket', ...acme, '--unchecked'],
  'stop endpoint': ['pos', ...acme, '--unchecked'],
  'stop tenant': acme,
  'stop list': acme,
  'resume tool': ['void_ticket', ...acme],
  'resume endpoint': ['pos', ...acme],
  'resume tenant': acme,
  'webhooks list': acme,
  'webhooks redeliver': [id, ...acme],
  migrate: [],
  audit: acme,
  doctor: [],
} as const satisfies Record<string, readonly string[]>;
type Name = keyof typeof commands;
const names = Object.keys(commands) as Name[];

let database: TestDatabase;
let home: string;
beforeAll(async () => {
  database = await createDatabase();
  await database.query(`insert into tenant (id) values ('acme')`);
  home = await mkdtemp(join(tmpdir(), 'tether-json-'));
  await writeFile(
    join(home, 'good.yaml'),
    `{ version: 1, endpoints: { pos: { transport: json, url: "http://127.0.0.1:9" } },
      tools: { get_ticket: { endpoint: pos, description: A ticket., input: { type: object } } } }`,
  );
});
afterAll(async () => {
  await rm(home, { recursive: true, force: true });
  await database.drop();
});

/** Nobody listens there, at the database's door or at Tether's. */
const away = { DATABASE_URL: 'postgres://tether:geheim@127.0.0.1:1/tether', TETHER_URL: 'http://127.0.0.1:1' };

type Run = typeof tether;

/** The same without a process of its own, which takes a second to come up. */
const called: Run = async (args, env = {}) => {
  let out = '';
  let err = '';
  const output = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
  };
  const code = await runTether(args, env, output);
  return { out, err, code };
};

/** Calls it with --json and without: both exit alike, and what is written goes to one of the two streams. */
async function fault(args: readonly string[], env: Readonly<Record<string, string>>, run: Run = called) {
  const [text, json] = await Promise.all([run(args, env), run([...args, '--json'], env)]);
  expect({ code: json.code, err: json.err }).toEqual({ code: text.code, err: '' });
  expect({ out: text.out, silent: text.err === '' }).toEqual({ out: '', silent: false });
  expect(json.out + text.err).not.toContain('geheim');
  const { error, ...more } = JSON.parse(json.out);
  expect(more).toEqual({});
  expect(error).toEqual({
    code: expect.stringMatching(/^[A-Z_]+$/),
    message: expect.stringMatching(/\S/),
    effect: expect.stringMatching(/^(NONE|UNKNOWN)$/),
    retryable: expect.any(Boolean),
    retry_after_ms: null,
  });
  return { ...error, exit: json.code };
}

const rightly = (name: Name): string[] => [
  ...name.split(' '),
  ...commands[name].map((arg) => (arg === 'good.yaml' ? join(home, arg) : arg)),
];

describe('with --json every fault is one object on stdout, and exits as without', { timeout: 60_000 }, () => {
  test('of every command that there is', async () => {
    const listed = async (...path: string[]): Promise<string[]> => {
      const { out } = await called([...path, '--help']);
      const [, below = ''] = /\nCommands:\n((?: {2}.*\n)+)/.exec(out) ?? [];
      const verbs = [...below.matchAll(/^ {2}([a-z]+) /gm)].flatMap(([, verb]) => verb ?? []);
      if (verbs.length === 0) return [path.join(' ')];
      return (await Promise.all(verbs.map((verb) => listed(...path, verb)))).flat();
    };
    expect((await listed()).filter((name) => name !== 'serve').sort()).toEqual([...names].sort());
  });

  test.each(names)('%s with an option that there is not', async (name) => {
    const said = await fault([...rightly(name), '--bogus'], {});
    expect(said).toMatchObject({ exit: 2, code: 'INVALID_USAGE', effect: 'NONE', retryable: false });
    expect(said.message).toContain("unknown option '--bogus'");
  });

  test.each<[string, readonly string[], string]>([
    ['the program', [], 'say what to do: tether serve|tools|'],
    ['keys', ['keys'], 'say what to do: tether keys create|list|rotate|revoke'],
    ['actions', ['actions'], 'say what to do: tether actions list|'],
    ['tools', ['tools'], 'say what to do: tether tools check'],
    ['stop', ['stop'], 'say what to do: tether stop tool|'],
    ['resume', ['resume'], 'say what to do: tether resume tool|'],
    ['webhooks', ['webhooks'], 'say what to do: tether webhooks list|redeliver'],
  ])('%s without saying what to do', async (_, args, message) => {
    expect(await fault(args, {})).toMatchObject({
      exit: 2,
      code: 'INVALID_USAGE',
      message: expect.stringContaining(message),
    });
  });

  test.each<[readonly string[], RegExp]>([
    [['kes', 'list'], /unknown command 'kes' \(Did you mean keys\?\)/],
    [['keys', 'lst', ...acme], /unknown command 'lst' \(Did you mean list\?\)/],
    [['keys', 'list', '--tenant', 'A_b'], /a-z, 0-9 and -/],
    [['keys', 'list'], /required option '--tenant <id>' not specified/],
    [['keys', 'rotate', ...acme], /missing required argument 'credential-id'/],
    [['keys', 'create', ...acme], /required option '--role <role>' not specified/],
    [['stop', 'list'], /say --tenant <id>, or --every-tenant/],
    [['doctor', 'more'], /too many arguments/],
    [['keys', 'create', ...acme, '--role', 'boss'], /Allowed choices/],
    [['keys', 'revoke', 'tth_acme_5e5e', ...acme], /not the key/],
    [['stop', 'tenant', ...acme, '--every-tenant'], /cannot be used with/],
    [['webhooks', 'list', ...acme, '--state', 'lost'], /Allowed choices/],
    [['webhooks', 'redeliver', '7', ...acme], /is a UUID/],
    [['actions', 'list', '--state', 'open'], /It is one of PENDING/],
    [['actions', 'list', '--limit', '0'], /1 to 100000/],
    [['actions', 'get', 'T-1'], /is a UUID/],
    [['audit', ...acme, '--since', 'noon'], /a time with its zone/],
    [['audit', ...acme, '--after', 'x'], /--after takes the cursor/],
  ])('a call that is wrong: %j', async (args, message) => {
    const said = await fault(args, {});
    expect(said).toMatchObject({ exit: 2, code: 'INVALID_USAGE', effect: 'NONE', retryable: false });
    expect(said.message).toMatch(message);
  });

  test.each(names.filter((name) => /^(keys|stop|resume|webhooks|migrate|audit)/.test(name)))(
    '%s when the database is away',
    async (name) => {
      expect(await fault(rightly(name), away)).toMatchObject({
        ...{ exit: 1, code: 'UNAVAILABLE', effect: 'NONE', retryable: true },
        message: expect.stringMatching(/^The database cannot be used: .*ECONNREFUSED/),
      });
    },
  );

  test.each(['keys list', 'stop list', 'migrate', 'audit'] as const)('%s with wrong settings', async (name) => {
    const said = await fault(rightly(name), { DATABASE_URL: 'mysql://root:geheim@db/x' });
    expect(said).toMatchObject({ exit: 1, code: 'INVALID_SETTINGS', effect: 'NONE', retryable: false });
  });

  test.each(['actions list', 'actions watch'] as const)('%s without a key', async (name) => {
    expect(await fault(rightly(name), away)).toMatchObject({
      ...{ exit: 1, code: 'REFUSED', effect: 'NONE', message: expect.stringContaining('TETHER_KEY') },
    });
  });

  test.each<[readonly string[], string]>([
    [['keys', 'create', ...acne, '--role', 'agent'], 'REFUSED'],
    [['keys', 'list', ...acne], 'REFUSED'],
    [['keys', 'rotate', id, ...acne], 'REFUSED'],
    [['keys', 'revoke', id, ...acne], 'REFUSED'],
    [['keys', 'rotate', id, ...acme], 'CREDENTIAL_NOT_FOUND'],
    [['keys', 'revoke', id, ...acme], 'CREDENTIAL_NOT_FOUND'],
    [['stop', 'list', ...acne], 'REFUSED'],
    [['stop', 'tool', 'void_ticket', ...acne, '--unchecked'], 'REFUSED'],
    [['stop', 'tool', 'void_ticket', '--every-tenant', '--catalog', 'nowhere.yaml'], 'REFUSED'],
    [['resume', 'tenant', ...acne], 'REFUSED'],
    [['webhooks', 'list', ...acne], 'REFUSED'],
    [['webhooks', 'redeliver', id, ...acne], 'REFUSED'],
    [['webhooks', 'redeliver', id, ...acme], 'DELIVERY_NOT_FOUND'],
    [['audit', ...acne], 'REFUSED'],
  ])('a refusal: %j', async (args, code) => {
    const said = await fault(args, { DATABASE_URL: database.url });
    expect(said).toMatchObject({ exit: 1, code, effect: 'NONE' });
    if (args.includes('acne')) expect(said.message).toMatch(/^There is no tenant acne\. Did you mean acme\?/);
  });

  /** One of each way that a fault comes about; its two streams and its exit code are the system's own. */
  test.each<[string, readonly string[], () => Readonly<Record<string, string>>, number, string]>([
    ['a wrong call', ['keys', 'list', '--bogus'], () => ({}), 2, 'INVALID_USAGE'],
    ['wrong settings', ['keys', 'list', ...acme], () => ({ DATABASE_URL: 'mysql://db/x' }), 1, 'INVALID_SETTINGS'],
    ['a database that is away', ['audit', ...acme], () => away, 1, 'UNAVAILABLE'],
    ['a refusal', ['stop', 'list', ...acne], () => ({ DATABASE_URL: database.url }), 1, 'REFUSED'],
    [
      'a server that is away',
      ['actions', 'confirm', id, '--yes'],
      () => ({ TETHER_URL: 'http://127.0.0.1:65533', TETHER_KEY: 'k' }),
      1,
      'UNAVAILABLE',
    ],
  ])('in a process of its own, %s', async (_, args, env, exit, code) => {
    expect(await fault(args, env(), tether)).toMatchObject({ exit, code, effect: 'NONE' });
  });

  test('a sample that cannot be called', async () => {
    const said = await fault(['tools', 'check', join(home, 'good.yaml'), '--sample', 'get_tikcet'], {});
    expect(said).toMatchObject({
      exit: 2,
      code: 'INVALID_USAGE',
      message: expect.stringContaining('no tool is called'),
    });
  });

  test('serve, which prints nothing for programs', async () => {
    const { out, err, code } = await called(['serve', '--json'], { TETHER_HTTP_PORT: 'x' });
    expect({ err, code }).toEqual({ err: '', code: 2 });
    expect(JSON.parse(out)).toMatchObject({ error: { message: "unknown option '--json'" } });
  });

  test('a command that tells lines tells its fault as a line', async () => {
    for (const args of [
      ['audit', ...acne],
      ['actions', 'watch'],
    ]) {
      const { out } = await called([...args, '--json'], { DATABASE_URL: database.url });
      expect(out.trimEnd().split('\n')).toHaveLength(1);
    }
  });
});
