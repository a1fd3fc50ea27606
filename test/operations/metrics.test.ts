import { readFile, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openPlace, type Place, proposal, until } from '../faults/place.ts';
import { type ServerProcess, told } from '../faults/server-process.ts';
import { answers } from '../support/endpoint.ts';
import { parseMetrics, type Samples } from '../support/prometheus.ts';
import { createWay } from '../support/way.ts';

vi.setConfig({ testTimeout: 120_000 });

let place: Place;
const running: ServerProcess[] = [];

/** Stopped after the test: others would make its sweeps. */
async function startServer(options?: Parameters<Place['server']>[0]): Promise<ServerProcess> {
  const server = await place.server(options);
  running.push(server);
  return server;
}

afterEach(() => Promise.all(running.splice(0).map((server) => server.kill())));
beforeAll(async () => {
  place = await openPlace();
});
afterAll(() => place.close());

async function metricsOf({ httpUrl }: Pick<ServerProcess, 'httpUrl'>): Promise<Samples> {
  const response = await fetch(`${httpUrl}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return parseMetrics(await response.text());
}

async function stage(server: ServerProcess, more: object = {}): Promise<string> {
  return (await server.agent.stage({ ...proposal(), ...more })).action?.id ?? '';
}

const tool = 'void_ticket';

test('a life of calls, dispatches and transitions is counted, with how it ended', async () => {
  const server = await startServer();
  const actionId = await stage(server);
  await server.approver.confirm({ actionId, idempotencyKey: 'k' });
  const refused = await stage(server);
  place.endpoint.answerNext(answers.refusal({ code: 'closed', message: 'It is closed.' }));
  await server.approver.confirm({ actionId: refused });
  const lost = await stage(server);
  place.endpoint.answerNext(answers.reset());
  await server.approver.confirm({ actionId: lost });
  await told(server.approver.confirm({ actionId: lost }));
  await server.approver.reject({ actionId: await stage(server), reason: 'no' });

  const samples = await metricsOf(server);
  const calls = (rpc: string, code: string) =>
    samples.value('tether_rpc_duration_seconds_count', { rpc: `ActionService/${rpc}`, door: 'connect', code });
  expect(calls('Stage', 'OK')).toBe(4);
  expect(calls('Confirm', 'OK')).toBe(3);
  expect(calls('Confirm', 'FAILED_PRECONDITION')).toBe(1);
  expect(samples.value('tether_rpc_errors_total', { rpc: 'ActionService/Confirm' })).toBe(1);
  expect(samples.labels('tether_rpc_errors_total', 'error')).toEqual(['OUTCOME_INDETERMINATE']);

  const dispatched = (outcome: string) =>
    samples.value('tether_dispatch_duration_seconds_count', { endpoint: 'pos', mode: 'execute', outcome });
  expect(['succeeded', 'refused', 'no-answer', 'failed'].map(dispatched)).toEqual([1, 1, 1, undefined]);

  const moved = (event: string, from: string, to: string) =>
    samples.value('tether_transitions_total', { event, from, to, tool });
  expect(moved('STAGED', 'NEW', 'PENDING')).toBe(4);
  expect(moved('CLAIMED', 'PENDING', 'EXECUTING')).toBe(3);
  expect(moved('SETTLED', 'EXECUTING', 'SUCCEEDED')).toBe(1);
  expect(moved('SETTLED', 'EXECUTING', 'REFUSED')).toBe(1);
  expect(moved('SETTLED', 'EXECUTING', 'INDETERMINATE')).toBe(1);
  expect(moved('REJECTED', 'PENDING', 'REJECTED')).toBe(1);
});

test('a repeated attempt, a repeated request and a repeated intent are told apart', async () => {
  const server = await startServer();
  const same = proposal();
  const actionId = await stage(server, { ...same, requestId: 'r-1' });
  await stage(server, { ...same, requestId: 'r-1' });
  await stage(server, same);
  await stage(server, same);
  await server.approver.confirm({ actionId, idempotencyKey: 'k-2' });
  for (let repeat = 0; repeat < 3; repeat++) await server.approver.confirm({ actionId, idempotencyKey: 'k-2' });
  const samples = await metricsOf(server);
  expect(['request', 'intent', 'confirm'].map((what) => samples.value('tether_repeats_total', { what }))).toEqual([
    1, 2, 3,
  ]);
});

test('every door is told by its name', async () => {
  const server = await startServer();
  const headers = { authorization: 'Bearer nobody' };
  const grpc = createGrpcTransport({ baseUrl: `http://${server.grpcAddress}` });
  const web = createGrpcWebTransport({ baseUrl: server.httpUrl, httpVersion: '1.1' });
  for (const transport of [grpc, web]) await told(createClient(ActionService, transport).list({}, { headers }));
  await told(server.agent.list({}));
  await fetch(`${server.httpUrl}/v1/actions`, { headers });
  const samples = await metricsOf(server);
  for (const [door, code] of [
    ['grpc', 'UNAUTHENTICATED'],
    ['grpc-web', 'UNAUTHENTICATED'],
    ['json', 'UNAUTHENTICATED'],
    ['connect', 'OK'],
  ] as const) {
    expect(samples.value('tether_rpc_duration_seconds_count', { rpc: 'ActionService/List', door, code }), door).toBe(1);
    expect(samples.value('tether_rpcs_in_flight', { door })).toBe(0);
  }
});

test('what is under way, what waits and what needs a person is told while it is so', async () => {
  const server = await startServer();
  const gate = Promise.withResolvers<void>();
  place.endpoint.answerNext(async () => {
    await gate.promise;
    return answers.result('{}');
  });
  await stage(server);
  const before = place.endpoint.calls.length;
  const confirm = server.approver.confirm({ actionId: await stage(server) });
  await place.endpoint.arrived(before + 1);
  const during = await metricsOf(server);
  expect(during.value('tether_rpcs_in_flight', { door: 'connect' })).toBe(1);
  expect(during.value('tether_endpoint_calls', { endpoint: 'pos', state: 'under_way' })).toBe(1);
  expect(during.value('tether_endpoint_calls', { endpoint: 'pos', state: 'waiting' })).toBe(0);
  const count = async (condition: string) =>
    Number((await place.database.query<{ n: string }>(`select count(*) as n from action where ${condition}`))[0]?.n);
  for (const state of ['PENDING', 'EXECUTING', 'INDETERMINATE'])
    expect(during.value('tether_actions_open', { state }), state).toBe(await count(`state = '${state}'`));
  expect(during.value('tether_actions_needing_attention')).toBe(await count('needs_attention'));
  expect(during.value('tether_actions_needing_attention')).toBeGreaterThan(0);
  expect(during.labels('tether_work_due', 'kind')).toEqual([
    'expiry_or_lease',
    'probe_or_verification',
    'webhook',
    'job',
  ]);
  const pool = Object.fromEntries(
    during
      .labels('tether_database_connections', 'state')
      .map((state) => [state, during.value('tether_database_connections', { state })]),
  );
  expect(pool).toEqual({ used: expect.any(Number), idle: expect.any(Number), waiting: 0 });
  gate.resolve();
  await confirm;
  expect((await metricsOf(server)).value('tether_endpoint_calls', { endpoint: 'pos', state: 'under_way' })).toBe(0);
});

test('the documents name every metric that there is, and no other; tenants are nowhere among them', async () => {
  const server = await startServer();
  await told(server.agent.get({ key: { case: 'actionId', value: await stage(server) } }));
  const same = proposal();
  await stage(server, same);
  await stage(server, same);
  await told(server.agent.list({ cursor: 'none' }));
  await server.approver.confirm({ actionId: await stage(server) });
  // A sweep that has something to do.
  await place.database.query(`update action set expires_at = now(), sweep_at = now() where state = 'PENDING'`);
  const samples = await until(
    () => metricsOf(server),
    ({ names }) => names.includes('tether_job_changes_total'),
  );
  const text = await readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const section = text.slice(text.indexOf('## Metrics'), text.indexOf('**Alerts'));
  const documented = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect([...samples.names].sort()).toEqual(documented.sort());
  expect(await (await fetch(`${server.httpUrl}/metrics`)).text()).not.toContain('acme');
  expect(samples.value('tether_build_info', { node: process.versions.node })).toBe(1);
  expect(samples.value('tether_ready')).toBe(1);
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_heap_used_bytes'])
    expect(samples.value(name)).toBeGreaterThan(0);
  expect(samples.labels('tether_event_loop_delay_seconds', 'quantile')).toEqual(['0.5', '0.99', '1']);
  expect(samples.value('process_start_time_seconds')).toBeLessThanOrEqual(Date.now() / 1000);
});

test('while the database is away metrics are told all the same, without what only it knows', async () => {
  const way = await createWay(place.database.url);
  const server = await startServer({ databaseUrl: way.url });
  const known = (samples: Samples) => samples.value('tether_actions_open', { state: 'PENDING' });
  expect(known(await metricsOf(server))).toBeGreaterThanOrEqual(0);
  await way.close();
  const samples = await until(
    () => metricsOf(server),
    (now) => now.value('tether_ready') === 0,
  );
  expect(samples.value('tether_database_up')).toBe(0);
  expect(known(samples)).toBeNaN();
  await way.open();
});

interface Asked {
  readonly status: number;
  readonly text: string;
}

async function ask(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Asked> {
  const response = await fetch(`${url}/metrics`, { headers, method });
  return { status: response.status, text: await response.text() };
}

test('without a token they are for this machine, and for no proxy on it', async () => {
  const server = await startServer({ env: { TETHER_HOST: '0.0.0.0' } });
  const { port } = new URL(server.httpUrl);
  expect((await ask(`http://127.0.0.1:${port}`)).status).toBe(200);
  for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])
    expect((await ask(`http://127.0.0.1:${port}`, { [header]: '192.0.2.7' })).status).toBe(403);
  const outside = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4');
  const elsewhere = await ask(
    `http://${outside?.address ?? expect.fail('this machine has no address but its own')}:${port}`,
  );
  expect(elsewhere.status).toBe(403);
  expect(elsewhere.text).toContain('TETHER_METRICS_TOKEN');
  expect(elsewhere.text).not.toContain('tether_ready');
});

test('with a token they are for whoever sends it, from anywhere', async () => {
  const token = 'a-token-of-some-length';
  const file = join(place.directory, 'token');
  await writeFile(file, `${token}\n`);
  for (const [name, value] of [
    ['TETHER_METRICS_TOKEN', token],
    ['TETHER_METRICS_TOKEN_FILE', file],
  ] as const) {
    const { httpUrl } = await startServer({ env: { [name]: value } });
    expect((await ask(httpUrl, { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await ask(httpUrl, { authorization: `bearer  ${token}`, 'x-forwarded-for': '192.0.2.7' })).status).toBe(
      200,
    );
    for (const headers of [
      {},
      { authorization: `Bearer ${token}x` },
      { authorization: 'Bearer ' },
      { authorization: token },
      { authorization: `Basic ${token}` },
    ]) {
      const refused = await ask(httpUrl, headers as Record<string, string>);
      expect(refused.status).toBe(401);
      expect(refused.text).not.toContain(token);
      expect(refused.text).not.toContain('tether_ready');
    }
    expect((await ask(httpUrl, { authorization: `Bearer ${token}` }, 'POST')).status).toBe(405);
  }
});
