import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createTetherClient, type TetherClient } from '@tether/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type ClientPlace, openClientPlace } from '../clients/harness/place.ts';
import { startProxy } from '../clients/typescript/proxy.ts';
import { answers } from '../support/endpoint.ts';
import { tether } from './run.ts';

let place: ClientPlace;
let agent: TetherClient;
let env: Record<string, string>;
beforeAll(async () => {
  place = await openClientPlace();
  const { httpUrl: url } = await place.server();
  agent = createTetherClient({ url, key: place.keys.agent });
  env = { TETHER_URL: url, TETHER_KEY: place.keys.approver };
});
afterAll(() => place.close());

const actions = (...args: string[]) => tether(['actions', ...args], env);

async function staged(ticketId: string) {
  return (await agent.stage({ tool: 'void_ticket', arguments: { ticket_id: ticketId } })).action;
}

test('lists what waits, shows one, and confirms what was shown: once', async () => {
  const action = await staged('A-1');
  const listed = await actions('list', '--state', 'pending', '--tool', 'void_ticket', '--json');
  expect(listed).toMatchObject({ err: '', code: 0 });
  expect(JSON.parse(listed.out).actions).toEqual([
    expect.objectContaining({ id: action.id, state: 'PENDING', arguments_json: '{"ticket_id":"A-1"}' }),
  ]);
  const shown = await actions('get', action.id);
  expect(shown.out).toContain(action.previewDigest);
  const calls = place.endpoint.calls.length;
  const confirmed = await actions('confirm', action.id, '--yes', '--json');
  expect(confirmed).toMatchObject({ err: '', code: 0 });
  expect(JSON.parse(confirmed.out)).toMatchObject({ status: 'EXECUTED', action: { state: 'SUCCEEDED' } });
  const again = await actions('confirm', action.id, '--yes');
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('REPLAYED') });
  expect(place.endpoint.calls.length).toBe(calls + 1);
});

test('confirms nothing that is another than the digest says, and nothing when nobody can be asked', async () => {
  const action = await staged('A-2');
  const calls = place.endpoint.calls.length;
  const other = await actions('confirm', action.id, '--yes', '--digest', `sha256:${'0'.repeat(64)}`);
  expect(other).toMatchObject({ code: 1, err: expect.stringContaining('PREVIEW_DIGEST_MISMATCH') });
  const alone = await actions('confirm', action.id);
  expect(alone).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
  expect(place.endpoint.calls.length).toBe(calls);
  expect((await agent.get({ actionId: action.id })).action.state).toBe('PENDING');
});

test('an empty list says so, in words of what was asked for', async () => {
  expect(await actions('list', '--state', 'expired', '--state', 'superseded', '--tool', 'void_ticket')).toEqual({
    ...{ code: 0, err: '', out: 'There is no action in state EXPIRED or SUPERSEDED, of tool void_ticket.\n' },
  });
  expect(
    (await actions('list', '--needs-attention', '--user', 'n\u202eobody', '--scope', 's', '--plan', 'p')).out,
  ).toBe('There is no action that needs a person, of plan p, on behalf of n\\u202eobody, in scope s.\n');
});

test('rejects with a reason that the model gets', async () => {
  const action = await staged('A-3');
  expect(await actions('reject', action.id, '--reason', 'Not today.')).toMatchObject({ err: '', code: 0 });
  expect((await agent.get({ actionId: action.id })).action).toMatchObject({
    state: 'REJECTED',
    rejectionReason: 'Not today.',
  });
});

test('an outcome that nobody can know has an exit code of its own', async () => {
  const action = await staged('A-4');
  place.endpoint.answerNext(answers.reset());
  const confirmed = await actions('confirm', action.id, '--yes', '--json');
  expect(confirmed.code).toBe(3);
  expect(JSON.parse(confirmed.out)).toMatchObject({ status: 'INDETERMINATE', action: { effect: 'UNKNOWN' } });
  expect((await actions('confirm', action.id, '--yes')).code).toBe(1);
  const attention = await actions('list', '--needs-attention', '--json');
  expect(JSON.parse(attention.out).actions).toEqual([expect.objectContaining({ id: action.id })]);
});

test('watch tells what is there and then every change, a line each, until it is interrupted', async () => {
  const action = await staged('A-5');
  const { child, line } = watching('--tool', 'void_ticket', '--state', 'pending', '--json');
  let told = await line();
  while (told.kind !== 'current') told = await line();
  await actions('reject', action.id, '--reason', 'No.');
  const change = await line();
  expect(change).toMatchObject({ kind: 'change', event: 'REJECTED', action: { id: action.id, state: 'REJECTED' } });
  const gone = once(child, 'exit');
  child.kill('SIGINT');
  expect(await gone).toEqual([0, null]);
});

test('a key comes from the environment or a file, and is told in no message', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'tether-keys-')), 'keys.json');
  await writeFile(file, JSON.stringify({ ...place.keys, tenant: 'acme' }), { mode: 0o600 });
  onTestFinished(() => rm(dirname(file), { recursive: true }));
  const url = env.TETHER_URL ?? '';
  expect(await tether(['actions', 'list', '--url', url, '--key-file', file])).toMatchObject({ err: '', code: 0 });
  const none = await tether(['actions', 'list', '--url', url]);
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining('TETHER_KEY') });
  const unsendable = join(dirname(file), 'key.txt');
  await writeFile(unsendable, 'tth_secret\n# of the till\n');
  for (const [args, env, from] of [
    [[], { TETHER_KEY: 'tth_secret ключ' }, 'TETHER_KEY'],
    [['--key-file', unsendable], {}, unsendable],
  ] as const) {
    const told = await tether(['actions', 'list', '--url', url, '--json', ...args], env);
    expect(told).toMatchObject({ code: 1, err: '' });
    expect(JSON.parse(told.out)).toMatchObject({
      error: { code: 'REFUSED', message: expect.stringContaining(`${from} holds no key`) },
    });
    expect(told.out).not.toContain('tth_secret');
  }
  const wrong = await tether(['actions', 'list', '--url', url], { TETHER_KEY: 'tth_acme_secret' });
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('UNAUTHENTICATED') });
  expect(wrong.err).not.toContain('secret');
});

test('an address that leads into the plain JSON door is told to end before it', async () => {
  const told = await tether(['actions', 'list', '--url', `${env.TETHER_URL}/v1`], { TETHER_KEY: place.keys.approver });
  expect(told).toMatchObject({ code: 1, out: '', err: expect.stringContaining('Leave /v1 off the URL') });
});

test.for([
  'http://till:hunter2@127.0.0.1:9',
  'http://hunter2@127.0.0.1:9/',
  'https://till:hunter2/x@127.0.0.1',
  'till:hunter2@127.0.0.1:9',
])('%s is called by nobody, and its password is repeated nowhere', async (url) => {
  for (const args of [
    ['list'],
    ['get', '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33', '--json'],
    ['watch'],
    ['list', '--help'],
  ]) {
    const { out, err, code } = await tether(['actions', ...args], { TETHER_URL: url, TETHER_KEY: 'k' });
    expect(out + err).not.toContain('hunter2');
    expect(out + err).toMatch(args.includes('--help') ? /TETHER_URL, or\s+http/ : /who calls is told by the key alone/);
    expect(code).toBe(args.includes('--help') ? 0 : 1);
  }
});

test.for([
  ['list'],
  ['get', '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33'],
  ['confirm', '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33', '--yes'],
  ['reject', '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33', '--reason', 'No.'],
  ['watch'],
])('%o where no server is says that nothing was done, and what to look at', async (args) => {
  const nobody = await startProxy('http://127.0.0.1:9');
  await nobody.close();
  const env = { TETHER_URL: nobody.url, TETHER_KEY: 'k' };
  const text = await tether(['actions', ...args], env);
  expect(text).toMatchObject({ code: 1, out: '' });
  expect(text.err).toMatch(/^UNAVAILABLE: .*could not be sent.*ECONNREFUSED.*nothing ran\. Is a server up, and/m);
  expect(text.err).toContain('TETHER_URL');
  const json = await tether(['actions', ...args, '--json'], env);
  expect(json.code).toBe(1);
  // Watch tells on stderr that it tries again.
  expect(json.err.replaceAll('the connection broke; it is made again\n', '')).toBe('');
  expect(JSON.parse(json.out)).toMatchObject({
    error: { code: 'UNAVAILABLE', effect: 'NONE', retryable: true, message: expect.stringContaining(nobody.url) },
  });
});

test('a confirm whose answer is lost may have run: it exits with 3, and says where to look', async () => {
  const action = await staged('A-7');
  const proxy = await startProxy(env.TETHER_URL ?? '');
  onTestFinished(() => proxy.close());
  const confirming = tether(['actions', 'confirm', action.id, '--yes', '--json'], { ...env, TETHER_URL: proxy.url });
  await proxy.answeredAgain();
  for (let tries = 0; tries < 5; tries++) proxy.loseNextAnswer();
  const { out, code } = await confirming;
  expect(code).toBe(3);
  expect(JSON.parse(out)).toMatchObject({
    error: { effect: 'UNKNOWN', message: expect.stringContaining('TETHER_URL') },
  });
});

test.for([
  ['get', 'T-1'],
  ['list', '--state', 'open'],
  ['reject', '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33'],
])('%o is called in a wrong way, and exits with 2', async (args) => {
  expect(await actions(...args)).toMatchObject({ code: 2, out: '' });
});

function watching(...args: string[]): { readonly child: ChildProcess; line(): Promise<Record<string, unknown>> } {
  const main = join(import.meta.dirname, '../../server/cli/main.ts');
  const child = spawn(process.execPath, [main, 'actions', 'watch', ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error('the watch ended');
      return JSON.parse(value);
    },
  };
}
