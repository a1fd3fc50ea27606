import { Code } from '@connectrpc/connect';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CallError } from '../../server/domain/error.ts';
import { StoreUnavailable } from '../../server/lifecycle/ports/store-unavailable.ts';
import { clientOf, keyOf, protocols, type Verb } from './clients.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { requests } from './sample-requests.ts';
import { actionId, settledAction, staged } from './scripted-lifecycle.ts';

let doors: OpenDoors;
beforeAll(async () => {
  doors = await openDoors();
});
beforeEach(() => {
  doors.log.length = 0;
});
afterAll(() => doors.close(1000));

const NONE = 1;
const UNKNOWN = 2;

/** Who calls, and for what writes: the way to find out what happened. */
const plan: Readonly<Partial<Record<Verb, readonly [role: string, way?: string]>>> = {
  stage: ['agent', '{"request_id":"r-1"}'],
  confirm: ['approver', `{"action_id":"${actionId}"}`],
  get: ['agent'],
  replay: ['agent'],
  list: ['agent'],
  watch: ['agent'],
  confirmPlan: ['approver', `{"action_id":"${actionId}"}`],
  reject: ['approver', `{"action_id":"${actionId}"}`],
  amend: ['approver', '{"request_id":"r-1"}'],
  resolve: ['approver', `{"action_id":"${actionId}"}`],
  probeNow: ['approver', `{"action_id":"${actionId}"}`],
  recheck: ['approver'],
  listEvents: ['operator'],
  call: ['agent', '{"request_id":"r-1"}'],
};

const cases = protocols.flatMap((protocol) => (Object.keys(plan) as Verb[]).map((verb) => [protocol, verb] as const));

async function call(protocol: (typeof protocols)[number], verb: Verb) {
  const client = clientOf(protocol, doors);
  const headers = { ...keyOf(plan[verb]?.[0] ?? ''), 'x-request-id': 'my-request:7' };
  const seen = await client.call(verb, requests[verb], { headers });
  client.close();
  return seen;
}

test.each(cases)('by %s, a database that is away leaves %s in doubt only if it writes', async (protocol, verb) => {
  doors.script.instead = () => {
    throw new StoreUnavailable(true, { cause: new Error('connect ECONNREFUSED 10.0.0.7:5432') });
  };
  const seen = await call(protocol, verb);
  const way = plan[verb]?.[1];
  expect(seen.code).toBe(Code.Unavailable);
  expect(seen.details).toMatchObject([{ code: 'UNAVAILABLE', retryable: true, effect: way ? UNKNOWN : NONE }]);
  expect(seen.details[0]?.alternatives[0]?.argumentsJson).toBe(way);
  expect(JSON.stringify([seen.message, seen.details[0]?.message])).not.toMatch(/ECONNREFUSED|10\.0\.0\.7/);
  expect(doors.log.join('')).toMatch(/"request_id":"my-request:7".*ECONNREFUSED 10\.0\.0\.7/);
});

test.each(cases)(
  'by %s, a database that was away before anything was written leaves nothing of %s',
  async (protocol, verb) => {
    doors.script.instead = () => {
      throw new StoreUnavailable(false, { cause: new Error('connect ECONNREFUSED 10.0.0.7:5432') });
    };
    const seen = await call(protocol, verb);
    expect(seen.code).toBe(Code.Unavailable);
    expect(seen.details).toMatchObject([{ code: 'UNAVAILABLE', retryable: true, effect: NONE, alternatives: [] }]);
  },
);

const thrown: Readonly<Record<string, unknown>> = {
  'an error of ours': new TypeError("Cannot read properties of undefined (reading 'secret')"),
  'an error of a driver': Object.assign(new Error('duplicate key value violates secret constraint'), { code: '23505' }),
  'an abort that is not the caller’s': new DOMException('secret', 'AbortError'),
  'a timeout that is not the caller’s': new DOMException('secret', 'TimeoutError'),
  'something that is no error': 'secret',
  nothing: undefined,
};

/** What the log tells of them: their kind and where they come from, never what they quote. */
const logged: Readonly<Record<string, object>> = {
  'an error of ours': { type: 'TypeError', message: 'Cannot read properties of undefined (reading …)' },
  'an error of a driver': {
    type: 'Error',
    code: '23505',
    at: expect.arrayContaining([expect.stringContaining('faults.test.ts')]),
  },
  'an abort that is not the caller’s': { type: 'DOMException' },
  'a timeout that is not the caller’s': { type: 'DOMException' },
};

const faultCases = protocols.flatMap((protocol) => Object.keys(thrown).map((what) => [protocol, what] as const));

test.each(faultCases)(
  'by %s, %s is INTERNAL, tells the request id and nothing else, and is in the log',
  async (protocol, what) => {
    doors.script.instead = () => Promise.reject(thrown[what]);
    const seen = await call(protocol, 'confirm');
    expect(seen.code).toBe(Code.Internal);
    expect(seen.details).toMatchObject([{ code: 'INTERNAL', effect: UNKNOWN, retryable: false }]);
    expect(seen.message).toContain('request id my-request:7');
    expect(JSON.stringify([seen.message, seen.headers, seen.details[0]?.message])).not.toMatch(
      /secret|\.ts:|\bat [\w.<]+ \(/,
    );
    const line = doors.log.find((each) => each.includes('my-request:7') && each.includes('call failed')) ?? '';
    const kind = logged[what] ?? { type: typeof thrown[what] };
    const told = thrown[what] === undefined ? {} : { err: kind };
    expect(JSON.parse(line)).toMatchObject({
      level: 'error',
      rpc: 'Confirm',
      code: 'INTERNAL',
      action_id: actionId,
      ...told,
    });
    expect(line).not.toContain('secret');
  },
);

test.each(protocols)('a fault of a read has left nothing behind, by %s', async (protocol) => {
  doors.script.instead = () => Promise.reject(new Error('secret'));
  const seen = await call(protocol, 'get');
  expect(seen.code).toBe(Code.Internal);
  expect(seen.details).toMatchObject([{ code: 'INTERNAL', effect: NONE, alternatives: [] }]);
});

test.each(protocols)(
  'an answer that cannot be written is our fault and not the end of the server, by %s',
  async (protocol) => {
    const broken = { ...staged, action: { ...settledAction, createdAt: new Date(Number.NaN) } };
    const cut = await openDoors();
    cut.script.stage = () => Promise.resolve(broken);
    const client = clientOf(protocol, cut);
    const seen = await client.call('stage', requests.stage, { headers: keyOf('agent') });
    expect(seen.code).toBe(Code.Internal);
    expect(seen.details).toMatchObject([{ code: 'INTERNAL', effect: UNKNOWN }]);
    expect(await client.call('get', requests.get, { headers: keyOf('agent') })).toMatchObject({ code: 0 });
    client.close();
    await cut.close(1000);
  },
);

test.each(protocols)(
  'a refusal is no error of ours, and the cause of one stays in the log, by %s',
  async (protocol) => {
    const detail = { message: 'The endpoint takes no more calls.', retryable: true };
    doors.script.instead = () => Promise.reject(new CallError('TOOL_UNAVAILABLE', detail));
    expect((await call(protocol, 'confirm')).code).toBe(Code.Unavailable);
    expect(doors.log.join('')).not.toContain('"level":"error"');
    doors.script.instead = () => Promise.reject(new CallError('UNAVAILABLE', detail, { cause: new Error('secret') }));
    const seen = await call(protocol, 'confirm');
    expect(JSON.stringify([seen.message, seen.headers, seen.details[0]?.message])).not.toContain('secret');
    expect(doors.log.join('')).toMatch(/"level":"error".*my-request:7.*secret/);
  },
);
