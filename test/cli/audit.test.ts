import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Action } from '../../server/domain/action.ts';
import { openStore, type Store } from '../../server/store/open.ts';
import { applied, claimed, staged, succeeded } from '../store/proposal.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { tether } from './run.ts';

let database: TestDatabase;
let store: Store;
let action: Action;
const many = 2_500;

beforeAll(async () => {
  database = await createDatabase();
  store = await openStore({ url: database.appUrl, poolSize: 2 });
  await store.credentials.createTenant('acme');
  await store.credentials.createTenant('busy');
  action = await applied(store.actions, succeeded(await claimed(store.actions, await staged(store.actions))));
  await database.query(
    `insert into event (action_id, version, tenant_id, type, to_state, effect, preview_digest, note, at)
     select gen_random_uuid(), 1, 'busy', 'STAGED', 'PENDING', 'NONE', 'sha256:0', '"' || repeat('x', 200) || '"',
       now() - n * interval '1 minute' from generate_series(1, $1) n`,
    [many],
  );
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const env = () => ({ DATABASE_URL: database.appUrl });
const audit = (...args: string[]) => tether(['audit', ...args], env());
const linesOf = (out: string) => {
  const lines = out.split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line): Record<string, unknown> => JSON.parse(line));
};

/** The command in a process of its own, to be read as it goes. */
function start(...args: string[]) {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, ['server/cli/main.ts', 'audit', ...args], {
    env: { PATH, ...env() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  return { child, ended, err: text(child.stderr) };
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const cursor = expect.stringMatching(/^e\d+\.\d+$/);

describe('tether audit', { timeout: 120_000 }, () => {
  test('tells one event per line, oldest first, with the fields that are documented', async () => {
    const { out, err, code } = await audit('--tenant', 'acme', '--action', action.id.toUpperCase());
    expect({ err, code }).toEqual({ err: '', code: 0 });
    const common = {
      ...{ trail: 'actions', occurred_at: time, tenant_id: 'acme', action_id: action.id, note: '', cursor },
      preview_digest: action.previewDigest,
    };
    const proposer = { credential_id: 'agent-credential', user_id: expect.any(String) };
    const approver = { credential_id: 'approver-credential', user_id: expect.any(String) };
    expect(linesOf(out)).toEqual([
      {
        ...common,
        type: 'STAGED',
        version: 1,
        from_state: null,
        to_state: 'PENDING',
        effect: 'NONE',
        attempt: null,
        actor: proposer,
      },
      {
        ...common,
        type: 'CLAIMED',
        version: 2,
        from_state: 'PENDING',
        to_state: 'EXECUTING',
        effect: 'UNKNOWN',
        attempt: 1,
        actor: approver,
      },
      {
        ...common,
        type: 'SETTLED',
        version: 3,
        from_state: 'EXECUTING',
        to_state: 'SUCCEEDED',
        effect: 'APPLIED',
        attempt: 1,
        actor: approver,
      },
    ]);
  });

  test('tells what operators did, as JSON within JSON’s line', async () => {
    const { out, code } = await audit('--tenant', 'acme', '--admin');
    expect(code).toBe(0);
    const lines = linesOf(out);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toEqual({
      ...{ trail: 'operators', occurred_at: time, tenant_id: 'acme', type: 'CREDENTIAL_CREATED', actor: null, cursor },
      subject: expect.stringMatching(/^[0-9a-f-]{36}$/),
      detail: expect.objectContaining({ role: 'agent', user_id: 'acme-agent' }),
    });
  });

  test('goes through everything, page after page, and after a cursor tells the rest and nothing twice', async () => {
    const whole = linesOf((await audit('--tenant', 'busy')).out);
    expect(whole).toHaveLength(many);
    expect(new Set(whole.map((line) => line.action_id)).size).toBe(many);
    const middle = whole[1_234];
    const rest = linesOf((await audit('--tenant', 'busy', '--after', String(middle?.cursor))).out);
    expect(rest).toEqual(whole.slice(1_235));
    const recent = linesOf((await audit('--tenant', 'busy', '--since', '90m')).out);
    expect(recent.length).toBeGreaterThan(80);
    expect(recent.length).toBeLessThanOrEqual(90);
  });

  test('ends quietly when whoever reads it has seen enough', async () => {
    const { child, ended, err } = start('--tenant', 'busy');
    const [line] = await once(createInterface(child.stdout), 'line');
    expect(JSON.parse(String(line))).toMatchObject({ tenant_id: 'busy' });
    child.stdout.destroy();
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(await err).toBe('');
  });

  test('follows: what comes later is told too, until it is interrupted', async () => {
    const { child, ended, err } = start('--tenant', 'acme', '--follow');
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const next = async () => JSON.parse(String((await lines.next()).value)).type;
    expect([await next(), await next(), await next()]).toEqual(['STAGED', 'CLAIMED', 'SETTLED']);
    const later = await staged(store.actions);
    expect(JSON.parse(String((await lines.next()).value))).toMatchObject({ type: 'STAGED', action_id: later.id });
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(await err).toBe('');
  });

  test('says what there is not, and changes no schema to find out', async () => {
    const none = '00000000-0000-4000-8000-000000000000';
    const missing = await audit('--tenant', 'initech');
    expect(missing).toEqual({ out: '', err: 'There is no tenant initech.\n', code: 1 });
    const unknown = await audit('--tenant', 'acme', '--action', none);
    expect(unknown).toMatchObject({ out: '', code: 1, err: expect.stringContaining(`no event of an action ${none}`) });
    const empty = await createDatabase({ empty: true });
    const behind = await tether(['audit', '--tenant', 'acme'], { DATABASE_URL: empty.url });
    const tables = await empty.query(`select from pg_tables where schemaname = 'public'`);
    await empty.drop();
    expect(behind).toMatchObject({
      out: '',
      code: 1,
      err: expect.stringMatching(/The schema lacks .*run "tether migrate"/),
    });
    expect(tables).toEqual([]);
  });

  test.each([
    [[], "required option '--tenant <id>'"],
    [['--tenant', 'acme', '--action', 'T-1'], 'UUID'],
    [['--tenant', 'acme', '--admin', '--action', '00000000-0000-4000-8000-000000000000'], 'cannot be used with'],
    [['--tenant', 'acme', '--since', 'yesterday'], '2027-01-31T00:00:00Z'],
    [['--tenant', 'acme', '--after', '17'], 'cursor of a line'],
  ])('called in a wrong way says so, and exits with 2: %j', async (args, why) => {
    expect(await audit(...args)).toMatchObject({ out: '', code: 2, err: expect.stringContaining(why) });
  });
});
