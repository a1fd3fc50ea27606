/**
 * A server at level trace through everything that can happen to an action, over every door and every transport, with a mark in all
 * that is data or secret: nothing of it may ever stand in the log.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ToolService } from '@tether/proto/tether/v1/tool_service_pb.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type EndpointTransport, endpointTransports } from '../../server/domain/endpoint.ts';
import { openStore } from '../../server/store/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { answers, type Endpoint, type EndpointAnswer, startEndpoint } from '../support/endpoint.ts';
import { runServer, type ServerProgram } from '../support/server-program.ts';
import { createWay, type Way } from '../support/way.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

/** Stands in every argument, result, key, reason, note, vendor's answer and secret. */
const mark = 'c4n4ry';

let directory: string;
let database: TestDatabase;
let way: Way;
let server: ServerProgram;
let keys: Readonly<Record<'agent' | 'approver' | 'operator', string>>;
let endpoints: Readonly<Record<EndpointTransport, Endpoint>>;
let receiver: Server;
let doors: { readonly http: string; readonly grpc: string };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tether-log-'));
  database = await createDatabase();
  way = await createWay(database.url);
  const store = await openStore({ url: database.url, poolSize: 1 });
  keys = await store.credentials.createTenant('acme');
  await store.close();
  const started = await Promise.all(
    endpointTransports.map(
      async (transport) => [transport, await startEndpoint({ transport, name: transport })] as const,
    ),
  );
  endpoints = Object.fromEntries(started) as typeof endpoints;
  // Takes webhooks, and says no in words of its own.
  receiver = createServer((_, response) => response.writeHead(500, { 'x-vendor': mark }).end(mark)).listen(
    0,
    '127.0.0.1',
  );
  await once(receiver, 'listening');
  await writeFile(join(directory, 'tether.yaml'), catalogText());
  server = runServer({
    DATABASE_URL: way.url,
    TETHER_DATA_DIR: directory,
    TETHER_CATALOG: join(directory, 'tether.yaml'),
    TETHER_LOG_LEVEL: 'trace',
    TETHER_DATABASE_POOL: '4',
    VENDOR_TOKEN: `${mark}-bearer`,
    VENDOR_SIGNING: `whsec_${Buffer.from(`${mark}-${mark}-${mark}-${mark}-signing`).toString('base64')}`,
  });
  doors = await server.doors();
  await server.ready();
});

afterAll(async () => {
  server.signal('SIGKILL');
  await server.ended;
  receiver.close();
  await Promise.all(Object.values(endpoints).map((endpoint) => endpoint.close()));
  await way.close();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

function catalogText(): string {
  const input =
    '{ type: object, required: [ticket_id], additionalProperties: false, properties: { ticket_id: { type: string, maxLength: 60 }, note: { type: string, maxLength: 40 }, amount: { type: number } } }';
  const secrets = `bearer_token: "\${env:VENDOR_TOKEN}", signing_secrets: ["\${env:VENDOR_SIGNING}"]`;
  const lines = endpointTransports.map((transport) => {
    const { url } = endpoints[transport];
    return {
      endpoint: `  ${transport}: { transport: ${transport}, url: "${url}", timeout_seconds: 2, max_response_bytes: 2000, max_attempts: 1, probe: true, ${secrets} }`,
      tools: `
  get_${transport}: { endpoint: ${transport}, description: One ticket., input: ${input} }
  plain_${transport}: { endpoint: ${transport}, is_write: true, description: Void it., input: ${input} }
  void_${transport}:
    endpoint: ${transport}
    is_write: true
    description: Void it.
    input: ${input}
    precondition: { read: get_${transport}, arguments: { ticket_id: /ticket_id }, expect: 'has(result.status)' }
    verify: { read: get_${transport}, arguments: { ticket_id: /ticket_id }, expect: 'result.status == "void"' }`,
    };
  });
  return `version: 1
endpoints:
${lines.map(({ endpoint }) => endpoint).join('\n')}
authorizer: { transport: json, url: "${endpoints.json.authorizerSettings.url}", timeout_seconds: 2, ${secrets} }
webhooks:
  told: { tenant: acme, url: "http://127.0.0.1:${(receiver.address() as AddressInfo).port}", signing_secrets: ["\${env:VENDOR_SIGNING}"], timeout_seconds: 1 }
tools:${lines.map(({ tools }) => tools).join('')}
`;
}

interface Caller {
  readonly actions: Client<typeof ActionService>;
  readonly tools: Client<typeof ToolService>;
}

const transports: Readonly<Record<string, (key: string) => Transport>> = {
  grpc: (key) => createGrpcTransport({ baseUrl: `http://${doors.grpc}`, interceptors: [bearer(key)] }),
  connect: (key) =>
    createConnectTransport({ baseUrl: doors.http, httpVersion: '1.1', interceptors: [bearer(key)], useHttpGet: true }),
  'grpc-web': (key) => createGrpcWebTransport({ baseUrl: doors.http, httpVersion: '1.1', interceptors: [bearer(key)] }),
};

function bearer(
  key: string,
): Parameters<typeof createConnectTransport>[0]['interceptors'] extends readonly (infer I)[] | undefined ? I : never {
  return (next) => (request) => {
    request.header.set('authorization', `Bearer ${key}`);
    return next(request);
  };
}

function callers(door: string): Readonly<Record<'agent' | 'approver' | 'operator' | 'stranger', Caller>> {
  const make = (key: string): Caller => {
    const transport = transports[door]?.(key) ?? expect.fail(`no door ${door}`);
    return { actions: createClient(ActionService, transport), tools: createClient(ToolService, transport) };
  };
  return {
    agent: make(keys.agent),
    approver: make(keys.approver),
    operator: make(keys.operator),
    stranger: make(`tth_acme_${mark}`),
  };
}

/** Whatever comes of it. */
async function tried<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch(() => undefined);
}

let count = 0;
function argumentsJson(more: object = {}): string {
  count += 1;
  return JSON.stringify({ ticket_id: `${mark}-${count}`, note: `${mark}-note`, ...more });
}

/** Everything that a vendor can do to a call, with the mark in each word of it. */
function vendorAnswers(transport: EndpointTransport): EndpointAnswer[] {
  const error = {
    code: `${mark}_code`,
    message: `${mark} message`,
    field: `/${mark}`,
    receivedJson: `"${mark}"`,
    limitJson: `"${mark}"`,
    acceptedJson: [`"${mark}"`],
  };
  const long = `{"a":"${mark.repeat(1_000)}"}`;
  const common = [
    answers.result(`{"status":"${mark}"}`),
    answers.refusal(error),
    answers.result(`{${mark}`),
    answers.result(long),
    answers.reset(),
  ];
  const statuses = (['INVALID_ARGUMENT', 'NOT_FOUND', 'INTERNAL', 'UNAVAILABLE', 'RESOURCE_EXHAUSTED'] as const).map(
    (code) => answers.status(code, `${mark} status`, error),
  );
  if (transport === 'grpc') return [...common, ...statuses, { kind: 'empty' }];
  const marked = {
    'content-type': `text/${mark}`,
    'x-vendor': mark,
    location: `http://127.0.0.1:1/${mark}`,
    'retry-after': mark,
    'www-authenticate': mark,
  };
  const http = [200, 302, 400, 401, 422, 500, 503].map((status) =>
    answers.http(status, `{"error":"${mark}","message":"${mark}"`, marked),
  );
  const cut = answers.cut(`{"a":"${mark}"`);
  return transport === 'connect'
    ? [...common, ...statuses, ...http, cut, { kind: 'empty' }]
    : [...common, ...http, cut];
}

async function lifeAt(door: string, transport: EndpointTransport): Promise<void> {
  const { agent, approver, operator, stranger } = callers(door);
  const endpoint = endpoints[transport];
  const [plain, guarded, read] = [`plain_${transport}`, `void_${transport}`, `get_${transport}`];
  endpoint.answer(answers.result(`{"status":"${mark}"}`));

  // What is refused before anything is recorded.
  for (const json of [
    `{"${mark}":"${mark}"}`,
    `{"ticket_id":"${mark.repeat(20)}"}`,
    `{"ticket_id":${mark}`,
    `{"ticket_id":"${mark}","ticket_id":"${mark}"}`,
  ])
    await tried(
      agent.actions.stage({ tool: plain, argumentsJson: json, userId: `${mark}-user`, requestId: `${mark}-bad` }),
    );
  await tried(agent.actions.stage({ tool: `${mark}_tool`, argumentsJson: '{}' }));
  await tried(stranger.actions.stage({ tool: plain, argumentsJson: argumentsJson() }));
  await tried(agent.actions.get({ key: { case: 'actionId', value: mark } }));
  await tried(agent.actions.list({ cursor: mark }));

  // Proposals and their repeats; reads, with every answer there is.
  const requestId = `${mark}-request-${door}-${transport}`;
  const args = argumentsJson();
  const staged = await agent.actions.stage({ tool: plain, argumentsJson: args, requestId });
  await tried(agent.actions.stage({ tool: plain, argumentsJson: args, requestId }));
  await tried(agent.actions.stage({ tool: plain, argumentsJson: args }));
  await tried(agent.actions.stage({ tool: plain, argumentsJson: argumentsJson(), requestId }));
  for (const answer of vendorAnswers(transport)) {
    endpoint.answerNext(answer);
    await tried(agent.tools.call({ tool: read, argumentsJson: argumentsJson() }));
    endpoint.answerNext(answer);
    await tried(agent.actions.stage({ tool: guarded, argumentsJson: argumentsJson() }));
  }

  // Confirms, with every answer there is, and what follows on them.
  const idempotencyKey = `${mark}-key-${door}-${transport}`;
  await tried(
    approver.actions.confirm({ actionId: staged.action?.id ?? '', idempotencyKey, previewDigest: `sha256:${mark}` }),
  );
  await approver.actions.confirm({ actionId: staged.action?.id ?? '', idempotencyKey });
  await tried(approver.actions.confirm({ actionId: staged.action?.id ?? '', idempotencyKey }));
  await tried(approver.actions.get({ key: { case: 'idempotencyKey', value: idempotencyKey } }));
  for (const [number, answer] of vendorAnswers(transport).entries()) {
    const { action } = await agent.actions.stage({ tool: plain, argumentsJson: argumentsJson() });
    const actionId = action?.id ?? '';
    await tried(approver.actions.confirm({ actionId, idempotencyKey }));
    endpoint.answerNext(answer);
    await tried(approver.actions.confirm({ actionId, idempotencyKey: `${idempotencyKey}-${number}` }));
    const probed = answers.probed('NOT_EXECUTED', undefined, { code: mark, message: `${mark} never` });
    endpoint.answerProbe(['result', 'refusal', 'empty'].includes(answer.kind) ? probed : answer);
    await tried(approver.actions.probeNow({ actionId }));
    endpoint.answerProbe(answers.probed('EXECUTED', `{"status":"${mark}"}`));
    await tried(approver.actions.probeNow({ actionId }));
    await tried(
      approver.actions.resolve({
        actionId,
        landed: true,
        resultJson: `{"status":"${mark}"}`,
        note: `${mark} note`,
        expectedAttempts: 1,
      }),
    );
  }
  const verified = await tried(agent.actions.stage({ tool: guarded, argumentsJson: argumentsJson() }));
  await tried(approver.actions.recheck({ actionId: verified?.action?.id ?? '' }));
  await tried(approver.actions.confirm({ actionId: verified?.action?.id ?? '' }));

  // The ways out, and looking on.
  const [first, second] = await Promise.all(
    [1, 2].map(() => agent.actions.stage({ tool: plain, argumentsJson: argumentsJson() })),
  );
  const amended = await tried(
    approver.actions.amend({
      actionId: first?.action?.id ?? '',
      argumentsJson: argumentsJson(),
      requestId: `${requestId}-amend`,
    }),
  );
  await tried(approver.actions.reject({ actionId: second?.action?.id ?? '', reason: `${mark} reason` }));
  endpoints.json.answerPetition(answers.denied({ message: `${mark} denied` }));
  await tried(approver.actions.confirm({ actionId: amended?.action?.id ?? '' }));
  endpoints.json.answerPetition(answers.http(500, mark));
  await tried(approver.actions.confirm({ actionId: amended?.action?.id ?? '' }));
  endpoints.json.answerPetition(answers.allowed());
  await tried(operator.actions.list({ filter: { userId: `${mark}-user` } }));
  await tried(operator.actions.listEvents({ actionId: staged.action?.id ?? '' }));
  for await (const _ of operator.actions.watch({}, { timeoutMs: 5_000 })) break;
  const leaving = new AbortController();
  const left = tried(operator.actions.watch({}, { signal: leaving.signal })[Symbol.asyncIterator]().next());
  leaving.abort();
  await left;
}

/** What stock clients do not send. */
async function rawRequests(): Promise<void> {
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`${doors.http}${path}`, init).then(
      (response) => response.text(),
      () => '',
    );
  const json = { 'content-type': 'application/json', authorization: `Bearer ${keys.agent}` };
  await send(`/${mark}?${mark}`);
  await send(`/readyz?${mark}`, { headers: { authorization: mark } });
  await send(`/v1/${mark}`, { headers: json });
  await send(`/v1/actions/${mark}/confirm`, { method: 'POST', headers: json, body: `{"${mark}":1}` });
  await send('/v1/actions', {
    method: 'POST',
    headers: { ...json, 'idempotency-key': mark },
    body: `{"tool":"${mark}`,
  });
  await send('/v1/actions', {
    method: 'POST',
    headers: { ...json, 'idempotency-key': `${mark}-json` },
    body: JSON.stringify({ tool: 'plain_json', arguments: { ticket_id: mark } }),
  });
  await send(`/v1/actions?cursor=${mark}&plan_id=${mark}`, { headers: json });
  await send(`/tether.v1.ActionService/Get?encoding=json&connect=v1&message=${encodeURIComponent(`{"${mark}":1}`)}`, {
    headers: json,
  });
  await send(`/tether.v1.ActionService/Get?encoding=${mark}&message=${mark}`, { headers: json });
  await send('/tether.v1.ActionService/Stage', { method: 'POST', headers: json, body: `{"tool":${mark}` });
  await send('/tether.v1.ActionService/Stage', {
    method: 'POST',
    headers: { ...json, 'content-type': `application/${mark}` },
    body: mark,
  });
  for (const authorization of [`Bearer ${mark}`, `Basic ${mark}`, `${mark}`, `Bearer ${keys.agent}${mark}`])
    await send('/v1/tools', { headers: { authorization } });
  await send('/v1/tools', {
    headers: { authorization: `Bearer x.${Buffer.from(`{"sub":"${mark}"}`).toString('base64url')}.${mark}` },
  });
}

test('nothing of arguments, results, keys, tokens, secrets and vendors stands in the log, whatever happens', async () => {
  for (const [door, transport] of [
    ['grpc', 'json'],
    ['connect', 'connect'],
    ['grpc-web', 'grpc'],
    ['connect', 'json'],
    ['grpc', 'grpc'],
  ] as const)
    await lifeAt(door, transport);
  await rawRequests();

  // The database goes away in the middle of calls, and comes back.
  const { agent, approver } = callers('connect');
  const { action } = await agent.actions.stage({ tool: 'plain_json', argumentsJson: argumentsJson() });
  endpoints.json.answerNext(async () => {
    await way.close();
    return answers.result(`{"status":"${mark}"}`);
  });
  await tried(approver.actions.confirm({ actionId: action?.id ?? '', idempotencyKey: `${mark}-lost` }));
  await tried(agent.actions.stage({ tool: 'plain_json', argumentsJson: argumentsJson() }));
  await way.open();
  await server.said('the outcome of an attempt was recorded late');
  await writeFile(join(directory, 'tether.yaml'), `${mark}: [`);
  server.signal('SIGHUP');
  await server.said('tether.yaml cannot be used; the catalog stays as it was');
  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);

  // It did happen, and is in the log by what may be told of it.
  const said = new Set(server.log.map(({ msg }) => msg));
  for (const message of [
    'an action moved',
    'call ended',
    'call refused',
    'call failed',
    'a call of an endpoint failed',
    'a proposal was repeated',
    'a confirm was repeated',
    'an endpoint was asked about a doubt',
    'the authorizer gave no answer',
    'the outcome of an attempt could not be recorded',
  ])
    expect(said).toContain(message);
  const states = new Set(server.log.map(({ to }) => to));
  for (const state of ['PENDING', 'EXECUTING', 'SUCCEEDED', 'REFUSED', 'INDETERMINATE', 'REJECTED', 'SUPERSEDED'])
    expect(states).toContain(state);

  const secrets = [
    mark,
    Buffer.from(`${mark}-${mark}-${mark}-${mark}-signing`).toString('base64'),
    ...Object.values(keys).filter((key) => key !== 'acme'),
    new URL(database.url).password,
  ];
  for (const line of server.log.map((each) => JSON.stringify(each)))
    for (const secret of secrets) expect(line.includes(secret), line).toBe(false);
});

test('every line about a call says which one it was, and about an action, which one', () => {
  const about = (message: string) => server.log.filter(({ msg }) => msg === message);
  for (const message of [
    'call ended',
    'call refused',
    'call failed',
    'a proposal was repeated',
    'a confirm was repeated',
  ]) {
    expect(about(message).length).toBeGreaterThan(0);
    for (const line of about(message)) expect(line).toHaveProperty('request_id');
  }
  for (const line of about('an action moved')) {
    expect(line).toMatchObject({ action_id: expect.any(String), tool: expect.any(String), event: expect.any(String) });
    // Of a call, or of a sweep.
    expect(line.request_id ?? line.job).toBeTypeOf('string');
  }
  const confirmed = about('call ended').filter(({ rpc, status }) => rpc === 'ActionService/Confirm' && status === 'OK');
  expect(confirmed.length).toBeGreaterThan(0);
  for (const line of confirmed) expect(line).toHaveProperty('action_id');
});
