/** A vendor knows a call of ours by its signature, over every transport; docs/signing.md is what vendors are told. */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createAuthorizer } from '../../server/dispatch/authorizer.ts';
import { type EndpointTransport, endpointTransports } from '../../server/domain/endpoint.ts';
import { answers, startEndpoint } from '../support/endpoint.ts';
import { dispatcherTo, probeCall, readCall, settingsOf, writeCall } from './calls.ts';
import { approver, observed } from './petition.ts';
import { closedPort, rawServer } from './raw-server.ts';
import { type Arrival, signingVendor, type Vendor, type Verify } from './signing-vendor.ts';

const oldSecret = newSecret();
const newerSecret = newSecret();
const otherSecret = newSecret();

type Verified = (body: Uint8Array, header: (name: string) => string | undefined, secrets: readonly string[]) => boolean;

/** The function that docs/signing.md gives to vendors, as it stands there. */
let verified: Verified;
let home: string;

beforeAll(async () => {
  const text = readFileSync(fileURLToPath(new URL('../../docs/signing.md', import.meta.url)), 'utf8');
  const code = [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].find(([, each]) =>
    each?.includes('export function'),
  )?.[1];
  home = mkdtempSync(join(tmpdir(), 'tether-signing-'));
  writeFileSync(join(home, 'verified.mts'), code ?? '');
  ({ verified } = await import(pathToFileURL(join(home, 'verified.mts')).href));
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** As the documentation tells vendors of that transport: the stock library for text, the function for messages. */
function checks(transport: EndpointTransport, ...secrets: string[]): Verify {
  return (arrival) => (transport === 'json' ? byLibrary(arrival, secrets) : byDocument(arrival, secrets));
}

function byLibrary({ headers, body }: Arrival, secrets: readonly string[]): boolean {
  return secrets.some((secret) => {
    try {
      new Webhook(secret).verify(body.toString(), { ...headers });
      return true;
    } catch {
      return false;
    }
  });
}

function byDocument({ headers, body }: Arrival, secrets: readonly string[]): boolean {
  return verified(body, (name) => headers[name], secrets);
}

/** Tether's side of one vendor. */
function caller(vendor: Vendor, transport: EndpointTransport, secrets: readonly string[] | undefined, now = Date.now) {
  const signingKeys = secrets?.map(keyOf);
  const settings = settingsOf(vendor.url, { transport, ...(signingKeys && { signingKeys }) });
  const dispatcher = dispatcherTo(settings, { now });
  const authorizer = createAuthorizer({ settings: () => settings, now });
  onTestFinished(() => authorizer.close());
  return {
    ...dispatcher,
    ask: () => authorizer.authorize(observed, approver, new AbortController().signal),
  };
}

const executed = { kind: 'succeeded', result: expect.any(String) };
/** Refused before anything was done. */
const turnedAway = { kind: 'failed', effect: 'NONE', error: { retryable: false } };

describe.each(endpointTransports)('over %s', (transport) => {
  test('every kind of call is signed, each under an id of its own', async () => {
    const vendor = await signingVendor(transport, checks(transport, oldSecret));
    const tether = caller(vendor, transport, [oldSecret]);
    expect(await tether.write(writeCall({ attempt: 2 }))).toMatchObject(executed);
    expect(await tether.read(readCall())).toMatchObject({ kind: 'result' });
    expect(await tether.probe(probeCall())).toMatchObject({ disposition: 'EXECUTED' });
    expect(await tether.probe(probeCall())).toMatchObject({ disposition: 'EXECUTED' });
    expect(await tether.ask()).toEqual({ kind: 'allowed' });
    expect(await tether.ask()).toEqual({ kind: 'allowed' });
    const ids = vendor.answered.map(({ headers }) => headers['webhook-id'] ?? '');
    const key = writeCall().requestId;
    expect(ids).toEqual([
      `${key}-2`,
      expect.stringMatching(/^[0-9a-f]{32}-1$/),
      expect.stringMatching(`^${key}-1-probe-[0-9a-f]{32}$`),
      expect.stringMatching(`^${key}-1-probe-[0-9a-f]{32}$`),
      expect.stringMatching(`^${observed.action.id.replaceAll('-', '')}-authorize-[0-9a-f]{32}$`),
      expect.stringMatching(`^${observed.action.id.replaceAll('-', '')}-authorize-[0-9a-f]{32}$`),
    ]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.join('')).not.toContain('.');
  });

  test('each attempt of a read is a call of its own, under one key', async () => {
    const endpoint = await startEndpoint({ transport, settings: { signingKeys: [keyOf(oldSecret)] } });
    onTestFinished(() => endpoint.close());
    const busy = transport === 'json' ? answers.http(503, '') : answers.status('UNAVAILABLE');
    endpoint.answerNext(busy, busy);
    expect(await dispatcherTo(endpoint.settings).read(readCall())).toMatchObject({ kind: 'result', attempts: 3 });
    const key = endpoint.calls[0]?.idempotencyKey;
    expect(endpoint.calls.map(({ headers }) => headers['webhook-id'])).toEqual([`${key}-1`, `${key}-2`, `${key}-3`]);
  });

  test.each([
    ['ordinary', '{"ticket_id":"T-4417"}'],
    ['of any writing', '{"text":"\\u20ac € \u{1f35c} \\"quoted\\" \\u0000","total":0.1}'],
    ['large', JSON.stringify({ text: 'ß'.repeat(120_000) })],
  ])('what is signed is what arrives, byte for byte: arguments that are %s', async (_, args) => {
    const vendor = await signingVendor(transport, checks(transport, oldSecret));
    expect(await caller(vendor, transport, [oldSecret]).write(writeCall({ arguments: args }))).toMatchObject(executed);
    const [arrival] = vendor.answered;
    expect(arrival?.body.includes(args)).toBe(true);
  });

  test('no byte of it can be changed, and nothing that is signed beside it', async () => {
    const { body, headers } = await captured(transport);
    const holds = (changed: Partial<Arrival>) => byDocument({ headers, body, ...changed }, [oldSecret]);
    expect(holds({})).toBe(true);
    for (let at = 0; at < body.length; at += 1) {
      const tampered = Buffer.from(body);
      tampered[at] = (tampered[at] ?? 0) ^ 1;
      expect(holds({ body: tampered }), `byte ${at}`).toBe(false);
    }
    expect(holds({ body: body.subarray(1) })).toBe(false);
    expect(holds({ body: Buffer.concat([body, Buffer.from(' ')]) })).toBe(false);
    expect(holds({ headers: { ...headers, 'webhook-id': `${headers['webhook-id']}0` } })).toBe(false);
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(holds({ headers: { ...headers, 'webhook-timestamp': later } })).toBe(false);
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      expect(holds({ headers: { ...headers, [name]: '' } }), name).toBe(false);
  });

  test('a vendor with another secret turns it away, and then nothing was done', async () => {
    const vendor = await signingVendor(transport, checks(transport, otherSecret));
    const tether = caller(vendor, transport, [oldSecret]);
    expect(await tether.write(writeCall())).toMatchObject(turnedAway);
    expect(await tether.read(readCall())).toMatchObject({ kind: 'failed', attempts: 1 });
    expect(await tether.probe(probeCall())).toMatchObject({ disposition: 'UNKNOWN' });
    expect(await tether.ask()).toEqual({ kind: 'unavailable' });
    expect(vendor.arrivals).toHaveLength(4);
    expect(vendor.answered).toEqual([]);
  });

  test.each([
    ['knows only the old one', [oldSecret]],
    ['knows only the new one', [newerSecret]],
    ['knows both', [newerSecret, oldSecret]],
  ])('while two secrets are declared, a vendor who %s lets it in', async (_, known) => {
    const vendor = await signingVendor(transport, checks(transport, ...known));
    expect(await caller(vendor, transport, [newerSecret, oldSecret]).write(writeCall())).toMatchObject(executed);
    expect(vendor.answered[0]?.headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
  });

  test('once the new secret alone is declared, a vendor who knows both lets it in, and one with the old one does not', async () => {
    const both = await signingVendor(transport, checks(transport, newerSecret, oldSecret));
    expect(await caller(both, transport, [newerSecret]).write(writeCall())).toMatchObject(executed);
    const behind = await signingVendor(transport, checks(transport, oldSecret));
    expect(await caller(behind, transport, [newerSecret]).write(writeCall())).toMatchObject(turnedAway);
  });

  test.each([
    ['recorded and sent again six minutes later', -6 * 60_000],
    ['from a clock that is six minutes ahead', 6 * 60_000],
  ])('a call %s is turned away', async (_, offMs) => {
    const vendor = await signingVendor(transport, checks(transport, oldSecret));
    const off = caller(vendor, transport, [oldSecret], () => Date.now() + offMs);
    expect(await off.write(writeCall())).toMatchObject(turnedAway);
    const nearly = caller(vendor, transport, [oldSecret], () => Date.now() + offMs / 2);
    expect(await nearly.write(writeCall())).toMatchObject(executed);
  });

  test('the timestamp is that of the sending, in seconds', async () => {
    const vendor = await signingVendor(transport, () => true);
    const now = 1_787_251_267_999;
    await caller(vendor, transport, [oldSecret], () => now).write(writeCall());
    expect(vendor.arrivals[0]?.headers['webhook-timestamp']).toBe('1787251267');
  });

  test('without secrets nothing is signed, and a vendor who asks for it does nothing', async () => {
    const vendor = await signingVendor(transport, checks(transport, oldSecret));
    expect(await caller(vendor, transport, undefined).write(writeCall())).toMatchObject(turnedAway);
    const [arrival] = vendor.arrivals;
    expect(Object.keys(arrival?.headers ?? {}).filter((name) => name.startsWith('webhook-'))).toEqual([]);
  });

  test('where nobody listens, nothing is signed: no signature is older than its connection', async () => {
    let asked = 0;
    const nobody = { url: `http://127.0.0.1:${await closedPort()}`, arrivals: [], answered: [] };
    const now = () => {
      asked += 1;
      return Date.now();
    };
    expect(await caller(nobody, transport, [oldSecret], now).write(writeCall())).toMatchObject({ effect: 'NONE' });
    expect(asked).toBe(0);
  });

  test('a redirect takes no signature along', async () => {
    const elsewhere = await rawServer(() => undefined);
    const from = await redirecting(transport, `${elsewhere.url}/tools`);
    const vendor = { url: from.url, arrivals: [], answered: [] };
    const answer = await caller(vendor, transport, [oldSecret]).write(writeCall());
    expect(answer).toMatchObject({ kind: 'no-answer', error: { effect: 'UNKNOWN' } });
    expect(from.signatures).toEqual([expect.stringMatching(/^v1,/)]);
    expect(elsewhere.connections).toEqual([]);
  });
});

test("the library's own signature of a call over JSON is the one that was sent", async () => {
  const { headers, body } = await captured('json');
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  const byTheBook = new Webhook(oldSecret).sign(headers['webhook-id'] ?? '', at, body.toString());
  expect(headers['webhook-signature']).toBe(byTheBook);
});

/** A signed write as it arrived. */
async function captured(transport: EndpointTransport): Promise<Arrival> {
  const vendor = await signingVendor(transport, () => true);
  await caller(vendor, transport, [oldSecret]).write(writeCall());
  const [arrival] = vendor.arrivals;
  if (arrival === undefined) throw new Error('nothing arrived');
  return arrival;
}

/** A server that sends every call elsewhere. */
async function redirecting(transport: EndpointTransport, location: string) {
  if (transport !== 'grpc') {
    const endpoint = await startEndpoint({ transport });
    onTestFinished(() => endpoint.close());
    endpoint.answer(answers.http(307, '', { location }));
    return {
      url: endpoint.url,
      get signatures() {
        return endpoint.calls.map(({ headers }) => headers['webhook-signature']);
      },
    };
  }
  const signatures: unknown[] = [];
  const server = createHttp2Server();
  server.on('stream', (stream, headers) => {
    signatures.push(headers['webhook-signature']);
    stream.respond({ ':status': 307, location }, { endStream: true });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, signatures };
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

function keyOf(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice('whsec_'.length), 'base64'));
}
