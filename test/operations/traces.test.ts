import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type EndpointTransport, endpointTransports } from '../../server/domain/endpoint.ts';
import { openStore } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { answers, type Endpoint, startEndpoint } from '../support/endpoint.ts';
import { type OtlpReceiver, startReceiver } from '../support/otlp-receiver.ts';
import { runServer, type ServerProgram } from '../support/server-program.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

const mark = 'c4n4ry';
const secret = `whsec_${randomBytes(32).toString('base64')}`;

let directory: string;
let database: TestDatabase;
let keys: Readonly<Record<'agent' | 'approver', string>>;
let endpoints: Readonly<Record<EndpointTransport, Endpoint>>;
let receiver: OtlpReceiver;
const servers: ServerProgram[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tether-traces-'));
  database = await createDatabase();
  const store = await openStore({ url: database.url, poolSize: 1 });
  keys = await store.credentials.createTenant('acme');
  await store.close();
  const started = endpointTransports.map(
    async (transport) => [transport, await startEndpoint({ transport, name: transport })] as const,
  );
  endpoints = Object.fromEntries(await Promise.all(started)) as typeof endpoints;
  receiver = await startReceiver();
  const declared = endpointTransports.map(
    (each) =>
      `  ${each}: { transport: ${each}, url: "${endpoints[each].url}", probe: true, signing_secrets: ["\${env:SIGNING}"] }`,
  );
  const tools = endpointTransports.map(
    (each) => `  void_${each}: { endpoint: ${each}, is_write: true, description: Void it., input: { type: object } }`,
  );
  await writeFile(
    join(directory, 'tether.yaml'),
    `version: 1\nendpoints:\n${declared.join('\n')}\ntools:\n${tools.join('\n')}\n`,
  );
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.signal('SIGKILL');
    await server.ended;
  }
});
afterAll(async () => {
  await Promise.all(Object.values(endpoints).map((endpoint) => endpoint.close()));
  await receiver.close();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

async function start(env: Readonly<Record<string, string>> = {}) {
  const server = runServer({
    DATABASE_URL: database.url,
    TETHER_DATA_DIR: directory,
    TETHER_CATALOG: join(directory, 'tether.yaml'),
    SIGNING: secret,
    ...env,
  });
  servers.push(server);
  const { http, grpc } = await server.doors();
  await server.ready();
  const baseUrl = http;
  const doors: Readonly<Record<'grpc' | 'connect' | 'grpc-web', Transport>> = {
    grpc: createGrpcTransport({ baseUrl: `http://${grpc}` }),
    connect: createConnectTransport({ baseUrl, httpVersion: '1.1' }),
    'grpc-web': createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
  };
  return { server, http, doors };
}

/** Sends traces in JSON, at once. */
const exporting = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '50',
});

const hex = (bytes: number) => randomBytes(bytes).toString('hex');

/** A place in a trace of a caller's own. */
function caller(flags = '01') {
  const [traceId, spanId] = [hex(16), hex(8)];
  const headers = { traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: 'vendor=abc' };
  return { traceId, spanId, headers };
}

async function staged(door: Transport, transport: EndpointTransport): Promise<string> {
  const { action } = await createClient(ActionService, door).stage(
    { tool: `void_${transport}`, argumentsJson: JSON.stringify({ id: hex(8), note: mark }) },
    { headers: { authorization: `Bearer ${keys.agent}` } },
  );
  return action?.id ?? '';
}

function confirm(door: Transport, actionId: string, headers: Readonly<Record<string, string>>) {
  return createClient(ActionService, door).confirm(
    { actionId, idempotencyKey: `${mark}-${actionId}` },
    { headers: { authorization: `Bearer ${keys.approver}`, ...headers } },
  );
}

function callOf(transport: EndpointTransport, actionId: string) {
  return endpoints[transport].calls.find((call) => call.actionId === actionId) ?? expect.fail('it was not called');
}

describe('with an address for traces', () => {
  test.each([
    ['grpc', 'json'],
    ['connect', 'connect'],
    ['grpc-web', 'grpc'],
    ['connect', 'json'],
  ] as const)(
    'a trace goes on from the caller by %s through the server to the endpoint by %s',
    async (door, transport) => {
      const { doors } = await start({ ...exporting(), OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test' });
      const actionId = await staged(doors[door], transport);
      const { traceId, spanId, headers } = caller();
      endpoints[transport].answerNext(answers.result(`{"status":"${mark}"}`));
      await confirm(doors[door], actionId, { ...headers, 'x-request-id': 'traced-1' });

      const served = await receiver.span((span) => span.traceId === traceId && span.kind === 2);
      expect(served).toMatchObject({ name: 'ActionService/Confirm', parentSpanId: spanId, status: 0 });
      expect(served.attributes).toMatchObject({
        'rpc.service': 'tether.v1.ActionService',
        'rpc.method': 'Confirm',
        'tether.door': door,
        'tether.request_id': 'traced-1',
        'tether.action_id': actionId,
        'tether.outcome': 'OK',
      });
      expect(served.resource).toMatchObject({ 'service.name': 'tether', 'deployment.environment': 'test' });
      const called = await receiver.span((span) => span.traceId === traceId && span.kind === 3);
      expect(called).toMatchObject({ name: `execute void_${transport}`, parentSpanId: served.spanId, status: 0 });
      expect(called.attributes).toEqual({
        'tether.endpoint': transport,
        'tether.transport': transport,
        'tether.mode': 'execute',
        'tether.tool': `void_${transport}`,
        'tether.action_id': actionId,
        'tether.attempt': expect.anything(),
        'tether.outcome': 'succeeded',
      });
      const arrived = callOf(transport, actionId);
      expect(arrived.headers).toMatchObject({
        traceparent: `00-${traceId}-${called.spanId}-01`,
        tracestate: 'vendor=abc',
      });
      // What is signed is the body; the headers of the trace are beside it.
      expect(arrived.headers['webhook-signature']).toBeDefined();
      if (transport === 'json')
        expect(() => new Webhook(secret).verify(arrived.body, { ...arrived.headers })).not.toThrow();
      expect(JSON.stringify(receiver.spans)).not.toContain(mark);
    },
  );

  test('a caller without a trace begins one, and a call that fails says so in it', async () => {
    const { doors, server } = await start(exporting());
    const actionId = await staged(doors.connect, 'json');
    endpoints.json.answerNext(answers.reset());
    await confirm(doors.connect, actionId, {});
    const called = await receiver.span(
      ({ kind, attributes }) => kind === 3 && attributes['tether.action_id'] === actionId,
    );
    expect(called).toMatchObject({ status: 2, attributes: { 'tether.outcome': 'no-answer' } });
    const served = await receiver.span(({ spanId }) => spanId === called.parentSpanId);
    expect(served).toMatchObject({ parentSpanId: '', status: 0 });
    expect(server.log.find((line) => line.msg === 'a call of an endpoint failed')).toMatchObject({
      trace_id: served.traceId,
    });
  });

  test('a sweep that calls an endpoint has a trace of its own, and one that calls nobody has none', async () => {
    const { doors } = await start(exporting());
    const actionId = await staged(doors.connect, 'json');
    endpoints.json.answerNext(answers.reset());
    const before = receiver.spans.length;
    await confirm(doors.connect, actionId, {});
    const asked = await receiver.span(
      ({ name, attributes }) => name === 'probe void_json' && attributes['tether.action_id'] === actionId,
    );
    const root = await receiver.span(({ spanId }) => spanId === asked.parentSpanId);
    expect(root).toMatchObject({
      name: 'job probe_doubts',
      parentSpanId: '',
      kind: 1,
      attributes: { 'tether.job': 'probe_doubts' },
    });
    const probe = endpoints.json.probes.find((call) => call.actionId === actionId);
    expect(probe?.headers.traceparent).toBe(`00-${asked.traceId}-${asked.spanId}-01`);
    const jobs = receiver.spans.slice(before).filter(({ name }) => name.startsWith('job '));
    for (const { spanId } of jobs)
      expect(receiver.spans.some(({ parentSpanId }) => parentSpanId === spanId)).toBe(true);
  });

  test('what the caller does not sample is not sent, and goes on as not sampled', async () => {
    const { doors } = await start(exporting());
    const actionId = await staged(doors.grpc, 'grpc');
    const { traceId, headers } = caller('00');
    await confirm(doors.grpc, actionId, headers);
    expect(callOf('grpc', actionId).headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    const other = await staged(doors.grpc, 'grpc');
    await confirm(doors.grpc, other, {});
    await receiver.span(
      ({ attributes }) => attributes['tether.action_id'] === other && attributes['tether.mode'] === 'execute',
    );
    expect(receiver.spans.some((span) => span.traceId === traceId)).toBe(false);
  });

  test('the sampler is the one that is named', async () => {
    const { doors, server } = await start({ ...exporting(), OTEL_TRACES_SAMPLER: 'always_off' });
    const before = receiver.spans.length;
    const actionId = await staged(doors.grpc, 'grpc');
    await confirm(doors.grpc, actionId, caller().headers);
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(receiver.spans).toHaveLength(before);
  });

  test('by default they are sent in protobuf, with the headers that are given, and the last ones at the end', async () => {
    const { OTEL_EXPORTER_OTLP_ENDPOINT } = exporting();
    const { doors, server } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc',
    });
    const actionId = await staged(doors.connect, 'json');
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
    const sent = receiver.requests.filter(({ headers }) => headers['content-type'] === 'application/x-protobuf');
    expect(sent.map(({ path }) => path)).toContain('/v1/traces');
    expect(sent[0]?.headers['x-collector-key']).toBe('abc');
    expect(Buffer.concat(sent.map(({ body }) => body)).includes(actionId)).toBe(true);
  });

  test('a collector that is away costs no call and no stop, and is told once', async () => {
    const { doors, server } = await start({
      ...exporting(),
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    });
    await confirm(doors.connect, await staged(doors.connect, 'json'), {});
    await server.said('traces could not be sent; they are lost');
    await confirm(doors.connect, await staged(doors.connect, 'json'), {});
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(server.log.filter(({ msg }) => msg === 'traces could not be sent; they are lost')).toHaveLength(1);
  });
});

describe('without one', () => {
  test.each(endpointTransports)(
    "the caller's place in its trace reaches the endpoint as it is, by %s",
    async (transport) => {
      const { doors } = await start();
      const before = receiver.requests.length;
      const { headers } = caller();
      for (const door of Object.values(doors)) {
        const actionId = await staged(door, transport);
        await confirm(door, actionId, headers);
        expect(callOf(transport, actionId).headers).toMatchObject(headers);
        const plain = await staged(door, transport);
        await confirm(door, plain, {});
        expect(callOf(transport, plain).headers).not.toHaveProperty('traceparent');
      }
      expect(receiver.requests).toHaveLength(before);
    },
  );

  test('by the plain JSON door too', async () => {
    const { doors, http } = await start();
    const actionId = await staged(doors.connect, 'json');
    const { headers } = caller();
    const init = {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${keys.approver}`, 'content-type': 'application/json' },
      body: '{}',
    };
    expect((await fetch(`${http}/v1/actions/${actionId}/confirm`, init)).status).toBe(200);
    expect(callOf('json', actionId).headers).toMatchObject(headers);
  });

  test.each([
    ['is none', { traceparent: 'whatever', tracestate: 'vendor=abc' }],
    ['has an id of zeros', { traceparent: `00-${'0'.repeat(32)}-${hex(8)}-01` }],
    ['is of a version that there is not', { traceparent: `ff-${hex(16)}-${hex(8)}-01` }],
  ])('one that %s goes no further', async (_, headers) => {
    const { doors } = await start();
    const actionId = await staged(doors.connect, 'json');
    await confirm(doors.connect, actionId, headers);
    expect(callOf('json', actionId).headers).not.toHaveProperty('traceparent');
    expect(callOf('json', actionId).headers).not.toHaveProperty('tracestate');
  });

  test('OTEL_SDK_DISABLED and OTEL_TRACES_EXPORTER=none are the same as none', async () => {
    for (const [name, value] of [
      ['OTEL_SDK_DISABLED', 'true'],
      ['OTEL_TRACES_EXPORTER', 'none'],
    ] as const) {
      const before = receiver.requests.length;
      const { doors, server } = await start({ ...exporting(), [name]: value });
      await staged(doors.connect, 'json');
      server.signal('SIGTERM');
      expect(await server.ended).toBe(0);
      expect(receiver.requests).toHaveLength(before);
    }
  });
});
