/** Who is let in, and what somebody who is not is told: enough to mend it, and nothing of a secret. */
import { createEndpoint } from '@tether/endpoint';
import { nodeHandler } from '@tether/endpoint/node';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { overHttp } from './servers.ts';
import { newSecret } from './shop.ts';

const secret = newSecret();
const now = Date.UTC(2026, 7, 20, 18, 41, 7);
const body = JSON.stringify({
  ...{ request_id: 'r1', tool: 'look', args: { text: '€ 🍜' }, tenant: { id: 'acme', scope: '', user_id: '' } },
  ...{ is_write: false, mode: 'read', action_id: '', attempt: 1, deadline: new Date(now + 20_000).toISOString() },
});

/** As the reference implementation of Standard Webhooks signs it. */
function signed(by: string, secondsAgo = 0, text = body): Record<string, string> {
  const at = new Date(now - secondsAgo * 1_000);
  return {
    'webhook-id': 'r1-1',
    'webhook-timestamp': String(at.getTime() / 1_000),
    'webhook-signature': new Webhook(by).sign('r1-1', at, text),
  };
}

async function call(headers: Record<string, string>, text = body, signingSecrets: string | string[] = secret) {
  const said: string[] = [];
  const endpoint = createEndpoint({
    tools: { look: { handle: ({ text }) => ({ text }) } },
    signingSecrets,
    now: () => now,
    onAnswered: ({ outcome, error }) => said.push(`${outcome} ${error}`),
  });
  const { url } = await overHttp(nodeHandler(endpoint), 'json', '/');
  const response = await fetch(url, { method: 'POST', body: text, headers });
  return { status: response.status, json: await response.json(), said };
}

test('what the reference implementation signs is let in', async () => {
  expect(await call(signed(secret))).toMatchObject({ status: 200, json: { text: '€ 🍜' } });
});

test.each([
  ['-300 s', -300],
  ['300 s', 300],
])('a timestamp that is %s off is let in', async (_, seconds) => {
  expect(await call(signed(secret, seconds))).toMatchObject({ status: 200 });
});

test('either of two secrets is let in, also when a signature of a stranger stands beside it', async () => {
  const other = newSecret();
  expect(await call(signed(other), body, [secret, other])).toMatchObject({ status: 200 });
  expect(await call(signed(secret), body, `${other}  ${secret}\n`)).toMatchObject({ status: 200 });
  const both = { ...signed(secret), 'webhook-signature': `v1a,xyz ${signed(other)['webhook-signature']} ` };
  both['webhook-signature'] += signed(secret)['webhook-signature'];
  expect(await call(both)).toMatchObject({ status: 200 });
});

const headers = signed(secret);
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));

test.each<[string, Record<string, string>, RegExp]>([
  ['nothing', {}, /no header webhook-id, webhook-timestamp, webhook-signature\./],
  ['no signature', without('webhook-signature'), /no header webhook-signature\./],
  ['no id', without('webhook-id'), /no header webhook-id\./],
  ['no timestamp', without('webhook-timestamp'), /no header webhook-timestamp\./],
  ['an old timestamp', signed(secret, 301), /webhook-timestamp is 301 s behind .* at most 300 s/],
  ['a timestamp of the future', signed(secret, -301), /webhook-timestamp is 301 s ahead of .* at most 300 s/],
  ['a timestamp that is none', { ...headers, 'webhook-timestamp': '2026-08-20' }, /webhook-timestamp is no number/],
  ['a timestamp that is negative', { ...headers, 'webhook-timestamp': '-1' }, /webhook-timestamp is no number/],
  ['another timestamp than was signed', { ...headers, 'webhook-timestamp': String(now / 1_000 + 1) }, /matches none/],
  ['another id than was signed', { ...headers, 'webhook-id': 'r1-2' }, /matches none/],
  ['another secret', signed(newSecret()), /matches none of the secrets/],
  ['another body', signed(secret, 0, `${body} `), /matches none/],
  ['a signature of another version', { ...headers, 'webhook-signature': 'v1a,AAAA' }, /no signature of version v1/],
  ['a signature that is no base64', { ...headers, 'webhook-signature': 'v1,€€' }, /matches none/],
  ['an empty signature', { ...headers, 'webhook-signature': 'v1,' }, /matches none/],
  [
    'half a signature',
    { ...headers, 'webhook-signature': String(headers['webhook-signature']).slice(0, 20) },
    /matches/,
  ],
])('%s is turned away, and told what is wrong', async (_, given, message) => {
  const encoded = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, encodeURI(value)]));
  const { status, json, said } = await call(encoded);
  expect(status).toBe(401);
  expect(json).toEqual({ error: 'unauthenticated', message: expect.stringMatching(message) });
  expect(said).toEqual([expect.stringMatching(/^unsigned Error: /)]);
  expect(JSON.stringify([json, said])).not.toContain(secret.slice(6, 20));
});

test('no bit of a body can be changed', async () => {
  const endpoint = createEndpoint({ tools: {}, signingSecrets: secret, now: () => now, onAnswered: () => undefined });
  const bytes = new TextEncoder().encode(body);
  const header = (name: string) => headers[name];
  expect(await endpoint.checkSignature(bytes, header)).toBeUndefined();
  for (let at = 0; at < bytes.length; at += 1) {
    const other = Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ 1 : byte));
    expect(await endpoint.checkSignature(other, header), `byte ${at}`).toMatch(/matches none/);
  }
});

describe('secrets that are none', () => {
  const open = (signingSecrets: string | readonly string[]) => () => createEndpoint({ tools: {}, signingSecrets });

  test.each<[string, string | string[]]>([
    ['an empty text', ''],
    ['an empty list', []],
    ['blanks', ' \n '],
  ])('%s does not leave the endpoint open', (_, secrets) => {
    expect(open(secrets)).toThrow(/signingSecrets is empty.*`false`/);
  });

  test.each([
    ['no prefix', secret.slice(6)],
    ['no base64', 'whsec_€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€'],
    ['a short key', `whsec_${btoa('x'.repeat(23))}`],
    ['a long key', `whsec_${btoa('x'.repeat(65))}`],
  ])('%s is told by its place, and not shown', (_, wrong) => {
    expect(open([secret, wrong])).toThrow('secret 2 must be whsec_');
    expect(open([secret, wrong])).not.toThrow(wrong.slice(6));
  });

  test('a variable that is not set does not compile, and does not open the door', () => {
    const { NOT_SET } = process.env;
    // @ts-expect-error: it may be undefined
    const options = { tools: {}, signingSecrets: NOT_SET } satisfies Parameters<typeof createEndpoint>[0];
    // @ts-expect-error: the same
    expect(() => createEndpoint(options)).toThrow();
  });
});
