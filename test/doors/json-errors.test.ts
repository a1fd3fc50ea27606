import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CallError, type CallErrorCode, callErrorCodes } from '../../server/domain/error.ts';
import { gate } from './gate.ts';
import { askJson } from './json-caller.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { actionId, confirmed } from './scripted-lifecycle.ts';

let doors: OpenDoors;
beforeAll(async () => {
  doors = await openDoors();
});
beforeEach(() => {
  doors.script.instead = undefined;
  doors.script.calls.length = 0;
});
afterAll(() => doors.close(1000));

/** The table of the contract, written out once more. */
const table: Readonly<Partial<Record<CallErrorCode, readonly [status: number, word: string]>>> = {
  ACTION_NOT_FOUND: [404, 'NotFound'],
  CONFIRM_IN_FLIGHT: [409, 'Conflict'],
  IDEMPOTENCY_KEY_REUSED: [422, 'KeyReused'],
  INTENT_HELD: [409, 'Conflict'],
  RISK_ACKNOWLEDGEMENT_REQUIRED: [412, 'GuardNotMet'],
  PREVIEW_DIGEST_MISMATCH: [412, 'GuardNotMet'],
  SECOND_PERSON_REQUIRED: [403, 'Forbidden'],
  ACTION_SETTLED: [409, 'Conflict'],
  NOT_IN_DOUBT: [409, 'Conflict'],
  OUTCOME_INDETERMINATE: [409, 'Conflict'],
  PRECONDITION_NOT_MET: [409, 'Conflict'],
  PRECONDITION_UNKNOWN: [503, 'Unavailable'],
  INVALID_ARGUMENTS: [400, 'Invalid'],
  INVALID_REQUEST: [400, 'Invalid'],
  INVALID_CURSOR: [400, 'Invalid'],
  TOOL_NOT_FOUND: [404, 'NotFound'],
  UNAUTHENTICATED: [401, 'Unauthenticated'],
  RATE_LIMITED: [429, 'TooManyRequests'],
  PERMISSION_DENIED: [403, 'Forbidden'],
  AUTHORIZER_DENIED: [403, 'Forbidden'],
  AUTHORIZER_UNAVAILABLE: [503, 'Unavailable'],
  TOOL_UNAVAILABLE: [502, 'ToolFailed'],
  RESPONSE_TOO_LARGE: [502, 'ToolFailed'],
  RESPONSE_INVALID: [502, 'ToolFailed'],
  INTERNAL: [500, 'InternalError'],
  UNAVAILABLE: [503, 'Unavailable'],
};

const confirm = (headers?: Record<string, string>) =>
  askJson(doors, 'POST', `/v1/actions/${actionId}/confirm`, { as: 'approver', headers });

test.each(Object.entries(table))(
  '%s is told by its status, its word and everything it says',
  async (code, expected) => {
    const [status, word] = expected;
    const error = new CallError(code as CallErrorCode, {
      message: 'Der Betrag 70 € liegt über der Grenze von 50 €.',
      field: '/lines/0/amount',
      receivedJson: '70.0',
      limitJson: '50',
      acceptedJson: ['10', '"all"'],
      effect: 'UNKNOWN',
      retryable: true,
      retryAfterSeconds: 1.5,
      alternatives: [
        { action: 'get', argumentsJson: `{"action_id":"${actionId}"}`, description: 'Read.' },
        { action: 'stage', tool: 't', argumentsJson: '{"action_id":1}', extraJson: '{"a":1}' },
      ],
    });
    doors.script.instead = () => Promise.reject(error);
    const { status: seen, headers, body, text } = await confirm({ 'x-request-id': 'r-1' });
    expect(seen).toBe(status);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('retry-after')).toBe('2');
    expect(headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
    expect(body).toEqual({
      status: word,
      errorCode: code,
      errorMessage: 'Der Betrag 70 € liegt über der Grenze von 50 €.',
      field: '/lines/0/amount',
      received: 70,
      limit: 50,
      accepted: [10, 'all'],
      effect: error.detail.effect,
      retryable: error.detail.retryable,
      retryAfterSeconds: 1.5,
      alternatives: [
        { action: 'get', arguments: expect.anything(), description: 'Read.' },
        { action: 'stage', tool: 't', arguments: { action_id: 1 }, extra: { a: 1 } },
      ],
      actionId,
      requestId: 'r-1',
    });
    expect(text).toContain('"received":70.0');
  },
);

test.each(callErrorCodes)('%s has a status of its own kind: 500 is for our own fault', async (code) => {
  doors.script.instead = () => Promise.reject(new CallError(code, { message: 'No.', retryable: false }));
  const { status } = await confirm();
  expect(status === 500).toBe(code === 'INTERNAL');
  expect(status).toBeGreaterThanOrEqual(400);
});

test('an error about a request names what the JSON door calls it, a tool’s argument keeps its name', async () => {
  doors.script.instead = () =>
    Promise.reject(
      new CallError('RISK_ACKNOWLEDGEMENT_REQUIRED', {
        message: 'Whoever confirms it must set acknowledge_high_risk.',
        field: 'acknowledge_high_risk',
        alternatives: [{ action: 'confirm', argumentsJson: '{"action_id":"a","acknowledge_high_risk":true}' }],
      }),
    );
  expect((await confirm()).body).toMatchObject({
    errorMessage: 'Whoever confirms it must set acknowledgeHighRisk.',
    field: 'acknowledgeHighRisk',
    alternatives: [{ action: 'confirm', arguments: { actionId: 'a', acknowledgeHighRisk: true } }],
  });
  for (const [code, field, own] of [
    ['PERMISSION_DENIED', 'action_id', 'actionId'],
    ['DELIVERY_NOT_FOUND', 'delivery_id', 'deliveryId'],
    ['CREDENTIAL_NOT_FOUND', 'credential_id', 'credentialId'],
    ['INVALID_REQUEST', '/entries/0/preview_digest', '/entries/0/previewDigest'],
  ] as const) {
    doors.script.instead = () => Promise.reject(new CallError(code, { message: 'No.', field }));
    expect((await confirm()).body).toMatchObject({ errorCode: code, field: own });
  }
  doors.script.instead = () =>
    Promise.reject(new CallError('INVALID_ARGUMENTS', { message: 'user_id must be a text.', field: 'user_id' }));
  expect((await confirm()).body).toMatchObject({ errorMessage: 'user_id must be a text.', field: 'user_id' });
});

test('no credential, a bad one and one of the wrong role are refused before the request is looked at', async () => {
  const path = `/v1/actions/${actionId}/confirm`;
  const strangers = [
    await askJson(doors, 'POST', path, { body: 'no JSON' }),
    await askJson(doors, 'POST', path, { body: 'no JSON', headers: { authorization: 'Bearer other' } }),
  ];
  for (const { status, headers, body } of strangers) {
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(body).toMatchObject({ status: 'Unauthenticated', errorCode: 'UNAUTHENTICATED', effect: 'NONE' });
  }
  const agent = await askJson(doors, 'POST', path, { as: 'agent', body: 'no JSON' });
  expect(agent).toMatchObject({ status: 403, body: { status: 'Forbidden', errorCode: 'PERMISSION_DENIED' } });
  expect(doors.script.calls).toEqual([]);
});

test('our own fault says nothing of what is inside, and where the operator finds it', async () => {
  doors.script.instead = () => Promise.reject(new Error('password=hunter2 at 10.0.0.1'));
  const { status, text, body } = await confirm({ 'x-request-id': 'find-me' });
  expect(status).toBe(500);
  expect(text).not.toMatch(/hunter2|10\.0\.0\.1/);
  expect(body).toMatchObject({
    status: 'InternalError',
    errorCode: 'INTERNAL',
    effect: 'UNKNOWN',
    requestId: 'find-me',
  });
  expect(body.alternatives).toEqual([expect.objectContaining({ action: 'get', arguments: { actionId } })]);
  expect(doors.log.some((line) => line.includes('find-me') && line.includes('hunter2'))).toBe(true);
});

test('a vendor’s error passes on as it is, whatever it is called and proposes', async () => {
  const error = {
    ...({
      code: 'INTERNAL',
      message: 'user_id is unknown',
      field: 'user_id',
      effect: 'NONE',
      retryable: false,
    } as const),
    alternatives: [
      { action: 'look', argumentsJson: '[1, 1.0]' },
      { action: 'ask', argumentsJson: '"whom"', extraJson: '{"a": 1.0}' },
    ],
  };
  const { confirm: ordinary } = doors.script;
  doors.script.confirm = async () => ({ ...confirmed, status: 'REFUSED', result: null, error });
  try {
    const { status, text, body } = await confirm();
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'Refused', errorCode: 'INTERNAL', errorMessage: 'user_id is unknown' });
    expect(text).toContain(
      '[{"action":"look","arguments":[1, 1.0]},{"action":"ask","arguments":"whom","extra":{"a": 1.0}}]',
    );
  } finally {
    doors.script.confirm = ordinary;
  }
});

test('a plan that breaks off tells what was decided before beside what went wrong', async () => {
  const { script } = doors;
  const plan = script.confirmPlan;
  script.confirmPlan = async function* (...args) {
    for await (const verdict of plan(...args)) {
      if (verdict.index === 1) throw new Error('gone');
      yield verdict;
    }
  };
  try {
    const { status, body } = await askJson(doors, 'POST', '/v1/plans/confirm', {
      as: 'approver',
      body: { entries: [{ actionId }, { actionId }] },
    });
    expect(status).toBe(500);
    expect(body).toMatchObject({ status: 'InternalError', verdicts: [{ index: 0, status: 'Executed' }] });
  } finally {
    script.confirmPlan = plan;
  }
});

test('a caller that hangs up after the work has begun does not stop it', async () => {
  const [begun, go, ended] = [gate(), gate(), gate()];
  doors.script.instead = async () => {
    begun.open();
    await go.opened;
    ended.open();
    return undefined;
  };
  const hangUp = new AbortController();
  const asking = askJson(doors, 'POST', `/v1/actions/${actionId}/confirm`, { as: 'approver', signal: hangUp.signal });
  await begun.opened;
  hangUp.abort();
  await expect(asking).rejects.toThrow();
  go.open();
  await ended.opened;
  doors.script.instead = undefined;
  expect((await confirm()).status).toBe(200);
});

test('a watcher that hangs up is watched for no longer', async () => {
  const { watch } = doors.script;
  const ended = gate();
  doors.script.watch = async function* (_principal, _input, signal) {
    yield { kind: 'heartbeat', cursor: 'e1.1' };
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    ended.open();
  };
  try {
    const hangUp = new AbortController();
    const response = await fetch(`${doors.httpAddress}/v1/actions/watch`, {
      headers: { authorization: 'Bearer key-agent' },
      signal: hangUp.signal,
    });
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('{"heartbeat":{},"cursor":"e1.1"}\n');
    hangUp.abort();
    await ended.opened;
  } finally {
    doors.script.watch = watch;
  }
});

test('a watch that fails before it says anything is a call that fails', async () => {
  doors.script.instead = () => Promise.reject(new CallError('INVALID_CURSOR', { message: 'No.', field: 'cursor' }));
  const { status, body } = await askJson(doors, 'GET', '/v1/actions/watch?cursor=x', { as: 'agent' });
  expect(status).toBe(400);
  expect(body).toMatchObject({ status: 'Invalid', errorCode: 'INVALID_CURSOR', field: 'cursor' });
});

test('a confirm that is under way when the server stops is answered before its connection closes', async () => {
  const [begun, go] = [gate(), gate()];
  const others = await openDoors();
  others.script.instead = async () => {
    begun.open();
    await go.opened;
    return undefined;
  };
  const underWay = askJson(others, 'POST', `/v1/actions/${actionId}/confirm`, { as: 'approver' });
  await begun.opened;
  const closed = others.close(600_000);
  go.open();
  const { status, body } = await underWay;
  expect(status).toBe(200);
  expect(body.status).toBe('Executed');
  await closed;
});
