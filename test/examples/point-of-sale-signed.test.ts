/** The example shop answers Tether and nobody else, once both have a secret. */
import { fork } from 'node:child_process';
import { createSecretKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { dispatcherTo, probeCall, readCall, settingsOf, writeCall } from '../dispatch/calls.ts';
import { createDatabase } from '../support/database.ts';

const program = fileURLToPath(new URL('../../examples/point-of-sale/main.ts', import.meta.url));

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const keyOf = (secret: string) => createSecretKey(Buffer.from(secret.slice(6), 'base64'));

/** The shop in a process of its own, and what it printed. */
async function startShop(signingSecret: string) {
  const database = await createDatabase({ empty: true });
  const { PATH = '' } = process.env;
  const env = { PATH, POS_DATABASE_URL: database.url, POS_PORT: '0', POS_SIGNING_SECRET: signingSecret };
  const child = fork(program, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const exited = once(child, 'exit');
  const said: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) throw new Error('the shop has no output');
      createInterface({ input: stream }).on('line', (line) => {
        said.push(line);
        const ready = /^ready on (http:\S+)$/.exec(line)?.[1];
        if (ready !== undefined) resolve(ready);
      });
    }
    void exited.then(() => reject(new Error(said.join('\n'))));
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    await database.drop();
  });
  const status = async (ticket: string) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const { rows } = await client.query('select status from tickets where id = $1', [ticket]);
      return rows[0]?.status;
    } finally {
      await client.end();
    }
  };
  return { url, said, status };
}

/** Tether's side. */
const signedWith = (url: string, ...secrets: string[]) =>
  dispatcherTo(settingsOf(url, { signingKeys: secrets.map(keyOf) }));

const voiding = () => writeCall({ deadline: new Date(Date.now() + 60_000) });

test('signed calls of every kind are answered', async () => {
  const secret = newSecret();
  const shop = await startShop(secret);
  const tether = signedWith(shop.url, secret);
  expect(await tether.read(readCall())).toMatchObject({ kind: 'result' });
  expect(await tether.write(voiding())).toMatchObject({ kind: 'succeeded' });
  expect(await tether.probe(probeCall())).toMatchObject({ disposition: 'EXECUTED' });
  expect(await shop.status('T-4417')).toBe('void');
});

test('what is not signed, or with another secret, changes nothing and is answered with 401 as JSON', async () => {
  const secret = newSecret();
  const shop = await startShop(secret);
  const refused = { kind: 'failed', effect: 'NONE', error: { retryable: false } };
  expect(await dispatcherTo(settingsOf(shop.url)).write(voiding())).toMatchObject(refused);
  expect(await signedWith(shop.url, newSecret()).write(voiding())).toMatchObject(refused);
  expect(await shop.status('T-4417')).toBe('open');

  const response = await fetch(shop.url, { method: 'POST', body: '{}' });
  expect(response.status).toBe(401);
  expect(response.headers.get('content-type')).toContain('application/json');
  expect(await response.json()).toEqual({ error: 'unauthenticated', message: expect.stringContaining('not signed') });
  expect(shop.said.join('\n')).not.toContain(secret.slice(6));
});

test.each([
  ['a body that was changed', (body: string) => `${body} `, 0],
  ['a body that is not JSON, but signed', undefined, 0],
  ['a call of six minutes ago', (body: string) => body, -360],
])('%s', async (_, change, seconds) => {
  const secret = newSecret();
  const shop = await startShop(secret);
  const body = change === undefined ? 'no json' : '{"request_id":"k"}';
  const at = new Date(Date.now() + seconds * 1_000);
  const headers = {
    'webhook-id': 'k-1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('k-1', at, body),
  };
  const response = await fetch(shop.url, { method: 'POST', body: change?.(body) ?? body, headers });
  expect(response.status).toBe(change === undefined ? 400 : 401);
});

test('with two secrets it lets in calls with either, and with both', async () => {
  const [old, newer] = [newSecret(), newSecret()];
  const shop = await startShop(`${newer} ${old}`);
  for (const secrets of [[old], [newer], [newer, old]])
    expect(await signedWith(shop.url, ...secrets).read(readCall())).toMatchObject({ kind: 'result' });
  expect(await signedWith(shop.url, newSecret()).read(readCall())).toMatchObject({ kind: 'failed' });
});
