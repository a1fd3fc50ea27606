/** Faults of what stands around a handler: error pages, stack traces, records that are made too late, doors without a lock. */
import type { IncomingMessage, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Endpoint } from '@tether/endpoint';
import { nodeHandler } from '@tether/endpoint/node';
import { expect, test, vi } from 'vitest';
import { newKey } from '../endpoint/ledger-calls.ts';
import { overHttp } from '../endpoint/servers.ts';
import { checkEndpoint, those } from './checked.ts';
import { secret, shop, shopArgs } from './shop.ts';

vi.spyOn(console, 'warn').mockReturnValue();

const stack = 'Error: no such row\n    at charge (/srv/shop/charge.js:41:13)\n    at async run (/srv/shop/main.js:7:3)';

/** What goes in front of the handler: an answer of its own, or undefined to let the call through. */
type Before = (envelope: Record<string, unknown> | undefined, request: IncomingMessage) => Own | undefined;

interface Own {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
}

/** Reads each request, and hands it on whole when it is let through. */
function behind(endpoint: Endpoint, before: Before): RequestListener {
  const handler = nodeHandler(endpoint);
  return async (request, response) => {
    const body = await buffer(request);
    const own = before(envelopeOf(body), request);
    if (own === undefined) return handler(Object.assign(request, { rawBody: body }), response);
    response.writeHead(own.status, { 'content-type': own.type ?? 'application/json' }).end(own.body);
  };
}

function envelopeOf(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

async function checked(listener: RequestListener, more: readonly string[] = [], env: Record<string, string> = {}) {
  const served = await overHttp(listener, 'json', '/tools');
  return checkEndpoint(served, [...shopArgs, ...more], { SECRET: secret, ...env });
}

const isClosed = (envelope: Record<string, unknown> | undefined) =>
  JSON.stringify(envelope?.args ?? '').includes('closed');

/** A write that is as it should be. */
const isCharge = (call: Record<string, unknown> | undefined) =>
  call?.mode === 'execute' &&
  call.tool === 'charge' &&
  'request_id' in call &&
  call.deadline !== 'soon' &&
  /^\{"account":"check-/.test(JSON.stringify(call.args));

test.each<[string, string, Before]>([
  [
    'refuses with 500 and a stack',
    'refusal-shape',
    (call) => (isClosed(call) ? { status: 500, body: stack } : undefined),
  ],
  [
    'refuses with a page of HTML',
    'refusal-shape',
    (call) =>
      isClosed(call) ? { status: 400, body: '<html><h1>Bad Request</h1></html>', type: 'text/html' } : undefined,
  ],
  [
    'refuses with a stack in its message',
    'refusal-shape',
    (call) => (isClosed(call) ? { status: 200, body: JSON.stringify({ error: 'failed', message: stack }) } : undefined),
  ],
  [
    'refuses with 403, of which the model hears nothing',
    'refusal-shape',
    (call) => (isClosed(call) ? { status: 403, body: '{"error":"account_closed"}' } : undefined),
  ],
  [
    'shows its stack to what it cannot parse',
    'no-internals',
    (call) => (call === undefined ? { status: 400, body: stack, type: 'text/plain' } : undefined),
  ],
  [
    'fails on what it cannot parse',
    'no-internals',
    (call) => (call === undefined ? { status: 500, body: '{"error":"internal"}' } : undefined),
  ],
  [
    'carries out what has no key',
    'no-internals',
    (call) => (call && !('request_id' in call) ? { status: 200, body: '{"account":"a"}' } : undefined),
  ],
  [
    'turns away members that it does not know',
    'tolerates-new-fields',
    (call) => (call && 'tether_check_new' in call ? { status: 400, body: '{"error":"unknown_member"}' } : undefined),
  ],
  [
    'answers reads with a page',
    'answers-a-read',
    (call) =>
      call?.mode === 'read' ? { status: 200, body: '<html>no such tool</html>', type: 'text/html' } : undefined,
  ],
  [
    'answers writes with a page',
    'answers-a-write',
    (call) => (isCharge(call) ? { status: 200, body: '<p>done</p>', type: 'text/html' } : undefined),
  ],
])('one that %s fails one check', async (_, fails, before) => {
  // Where reads are at fault, nothing can be counted by them.
  const report = await checked(behind(shop(), before), fails === 'answers-a-read' ? ['--count-read', ''] : []);
  expect(those(report, 'failed')).toEqual({ [fails]: expect.any(String) });
  expect(report.code).toBe(1);
});

test('one that carries out what it then answers with 401 fails the check of signatures', async () => {
  const good = shop();
  const endpoint: Endpoint = {
    ...good,
    async checkSignature(body, header) {
      const fault = await good.checkSignature(body, header);
      const envelope = envelopeOf(Buffer.from(body));
      if (fault !== undefined && envelope?.mode === 'execute') {
        const tenant = { id: 'endpoint-check', scope: '', userId: '' };
        await good.invoke({
          ...{ requestId: newKey(), tool: 'charge', args: { account: 'x' }, tenant, mode: 'execute', actionId: '' },
          ...{ attempt: 1, deadline: new Date(Date.now() + 60_000) },
        });
      }
      return fault;
    },
  };
  const report = await checked(nodeHandler(endpoint));
  expect(those(report, 'failed')).toEqual({
    'signature-required': expect.stringMatching(/^A write not signed was turned away and carried out all the same/),
  });
});

test('one that records a key when its answer is out fails the check of the cut connection', async () => {
  const good = shop();
  const records = new Map<string, ReturnType<Endpoint['invoke']>>();
  let gone: () => boolean = () => false;
  const endpoint: Endpoint = {
    ...good,
    async invoke(call) {
      if (call.mode !== 'execute') return good.invoke(call);
      const isGone = gone;
      const known = records.get(call.requestId);
      if (known !== undefined) return known;
      const done = new Promise((resolve) => setTimeout(resolve, 150)).then(() => {
        // Whether anybody still listens shows when the other end has had the time to go.
        if (isGone()) records.delete(call.requestId);
        return good.invoke({ ...call, requestId: newKey() });
      });
      records.set(call.requestId, done);
      return done;
    },
  };
  const handler = behind(endpoint, () => undefined);
  const listener: RequestListener = (request, response) => {
    gone = () => response.destroyed;
    handler(request, response);
  };
  const served = await overHttp(listener, 'json', '/tools');
  const args = ['--only', 'answers-a-write,same-key-twice,same-key-at-once,cut-connection'];
  const withoutProbe = shopArgs.filter((arg) => arg !== '--probe');
  const report = await checkEndpoint(served, [...withoutProbe, ...args], { SECRET: secret });
  expect(those(report, 'failed')).toEqual({ 'cut-connection': 'One key, and 2 writes were counted.' });
});

test('a token that is asked for is checked, and one that is not asked for is told', async () => {
  const guarded: Before = (_, { headers }) =>
    headers.authorization === 'Bearer tok-3f9a' ? undefined : { status: 401, body: '{"error":"unauthenticated"}' };
  const args = ['--bearer-env', 'TOKEN'];
  const kept = await checked(behind(shop(), guarded), args, { TOKEN: 'tok-3f9a' });
  expect({ ...those(kept, 'failed'), ...those(kept, 'warned'), ...those(kept, 'skipped') }).toEqual({});
  const open = await checked(
    behind(shop(), () => undefined),
    args,
    { TOKEN: 'tok-3f9a' },
  );
  expect(those(open, 'failed')).toEqual({
    'bearer-required': expect.stringMatching(/^A write without the token was to be/),
  });
});

test('no secret is in a report, also when the endpoint says it again', async () => {
  const echo: Before = (_, { headers }) => ({
    status: 500,
    body: JSON.stringify({ secret, authorization: headers.authorization, by: headers['webhook-signature'] }),
  });
  const { text, code } = await checked(behind(shop(), echo), ['--bearer-env', 'TOKEN'], { TOKEN: 'tok-3f9a' });
  expect(code).toBe(1);
  expect(text).not.toContain('tok-3f9a');
  expect(text).not.toContain(secret.slice('whsec_'.length));
  expect(text).not.toMatch(/v1,[A-Za-z0-9+/]{20}/);
  expect(text).toContain('***');
});
