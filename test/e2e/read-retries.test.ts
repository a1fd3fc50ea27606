import { Effect } from '@tether/proto/tether/v1/effect_pb.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { answers, type EndpointAnswer } from '../support/endpoint.ts';
import { type Business, idOf, keyOf, openBusiness, proposal, type Replica, read } from './business.ts';
import { refusal, status } from './told.ts';

vi.setConfig({ testTimeout: 90_000 });

let business: Business;
let server: Replica;
beforeAll(async () => {
  business = await openBusiness();
  server = await business.replica();
});
afterAll(() => business.close());

const statuses = (...codes: number[]): [string, EndpointAnswer][] =>
  codes.map((code) => [`HTTP ${code}`, answers.http(code, 'no', { location: '/else' })]);

/** What allows another attempt of a read (DESIGN §4). */
const passing = new Map<string, EndpointAnswer>([
  ...statuses(408, 429, 502, 503, 504),
  ['a timeout', answers.silence()],
  ['a connection that drops', answers.reset()],
  ['a body that is cut', answers.cut('{"ok":true}')],
]);

/** What does not. */
const final = new Map<string, EndpointAnswer>([
  ...statuses(300, 302, 304, 307, 400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 425, 451),
  ...statuses(500, 501, 505, 507, 508, 511, 599),
  ['no JSON', answers.http(200, '<html>')],
  ['a refusal', answers.refusal({ code: 'closed', message: 'The books are closed.' })],
]);

/** Does it once for each answer, all at once, on a ticket of its own whose every call is answered so. */
async function forEach<T>(
  cases: ReadonlyMap<string, EndpointAnswer>,
  mode: 'read' | 'execute',
  act: (ticket: string, tool: string) => Promise<T>,
): Promise<Record<string, T>> {
  const done = [...cases].map(async ([name, answer]) => {
    const ticket = await business.ticket();
    await business.vendor.always(ticket, mode, { answer });
    return [name, await act(ticket, toolFor(mode, answer))] as const;
  });
  return Object.fromEntries(await Promise.all(done));
}

/** Only silence needs an endpoint that is not waited for long. */
function toolFor(mode: 'read' | 'execute', { kind }: EndpointAnswer): string {
  if (kind === 'silence') return mode === 'read' ? 'peek_ticket' : 'close_ticket';
  return mode === 'read' ? 'get_ticket' : 'comment';
}

function same<T>(cases: ReadonlyMap<string, EndpointAnswer>, value: T): Record<string, T> {
  return Object.fromEntries([...cases.keys()].map((name) => [name, value]));
}

/** The calls about a ticket: their attempts, and how many keys they had in all. */
async function callsOf(ticket: string) {
  const calls = await business.vendor.calls(ticket);
  const keys = new Set(calls.flatMap(({ requestId, idempotencyKey }) => [requestId, idempotencyKey]));
  return { attempts: calls.map(({ attempt }) => attempt), keys: keys.size };
}

describe('a read', () => {
  test('is attempted three times, under one key, exactly on what may pass', async () => {
    const told = await forEach(passing, 'read', async (ticket, tool) => {
      const { code, effect, retryable } = await refusal(server.tools.call(proposal(tool, ticket)));
      return { code, effect, retryable, ...(await callsOf(ticket)) };
    });
    const failed = { code: 'TOOL_UNAVAILABLE', effect: Effect.NONE, retryable: true, attempts: [1, 2, 3], keys: 1 };
    expect(told).toEqual(same(passing, failed));
  });

  test('is attempted once on everything else', async () => {
    const told = await forEach(final, 'read', async (ticket, tool) => {
      await server.tools.call(proposal(tool, ticket)).catch(() => undefined);
      return callsOf(ticket);
    });
    expect(told).toEqual(same(final, { attempts: [1], keys: 1 }));
  });

  test('that gets through at the third attempt is a result like any other, and the next read has a key of its own', async () => {
    const ticket = await business.ticket();
    await business.vendor.next(ticket, 'read', [{ answer: answers.http(503) }, { answer: answers.reset() }]);
    const { modelJson } = await server.tools.call(proposal('get_ticket', ticket));
    expect(JSON.parse(modelJson)).toEqual({ ticket_id: ticket, status: 'open', total_usd: 12.5 });
    expect(await callsOf(ticket)).toEqual({ attempts: [1, 2, 3], keys: 1 });
    await server.tools.call(proposal('get_ticket', ticket));
    expect(await callsOf(ticket)).toEqual({ attempts: [1, 2, 3, 1], keys: 2 });
  });
});

test('a write gets exactly one attempt on every one of them', async () => {
  const cases = new Map([...passing, ...final]);
  const confirmed: string[] = [];
  const told = await forEach(cases, 'execute', async (ticket, tool) => {
    const id = idOf((await server.agent.stage(proposal(tool, ticket))).action);
    confirmed.push(status(await server.approver.confirm({ actionId: id })));
    expect(new Set((await business.vendor.calls(ticket)).map(({ requestId }) => requestId))).toEqual(
      new Set([keyOf(id)]),
    );
    return { ...(await callsOf(ticket)), used: (await read(server, id)).attemptsUsed };
  });
  expect(told).toEqual(same(cases, { attempts: [1], keys: 1, used: 1 }));
  expect(confirmed).not.toContain('EXECUTED');
});
