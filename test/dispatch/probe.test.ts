/** What an endpoint says of a write that is in doubt (DESIGN §2.3): believed when it is clear, and UNKNOWN otherwise. */
import { describe, expect, test } from 'vitest';
import { endpointTransports } from '../../server/domain/endpoint.ts';
import { answers, type EndpointAnswer } from '../support/endpoint.ts';
import { dispatcherTo, probeCall, serve, settingsOf, writeCall } from './calls.ts';
import { closedPort } from './raw-server.ts';

const unknown = { disposition: 'UNKNOWN', result: null, refusal: null };

describe.each(endpointTransports)('over %s', (transport) => {
  test('it is asked under the key of the write, without its arguments', async () => {
    const { endpoint, dispatcher } = await serve({ transport, settings: { bearerToken: 'shared' } });
    await dispatcher.probe(probeCall({ attempt: 2 }));
    expect(endpoint.calls).toEqual([]);
    expect(endpoint.probes).toMatchObject([
      {
        idempotencyKey: '9c1e7b6a3f424a519d0e6b2c8f4a1d33',
        requestId: '9c1e7b6a3f424a519d0e6b2c8f4a1d33',
        tool: 'void_ticket',
        argumentsJson: '',
        tenant: { id: 'acme', scope: 'store-12', userId: 'u_7' },
        isWrite: true,
        mode: 'probe',
        actionId: '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33',
        attempt: 2,
        headers: { authorization: 'Bearer shared' },
      },
    ]);
  });

  test.each([
    ['{"a": 1, "a": 2 , "big": 9007199254740993, "nul": "\\u0000", "euro": "€"}'],
    ['[1.10, 1e400]'],
    ['"text"'],
    ['null'],
    ['{"error": null, "disposition": "unknown", "result": 1}'],
    [`${'['.repeat(200)}${']'.repeat(200)}`],
  ])('the result of an executed write is kept as the text that was sent: %s', async (json) => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answerProbe(answers.probed('EXECUTED', json));
    expect(await dispatcher.probe(probeCall())).toEqual({ disposition: 'EXECUTED', result: json, refusal: null });
    expect(dispatcher.logged).toEqual([]);
  });

  test('a ledger may know that it was executed, and not what it answered', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answerProbe(answers.probed('EXECUTED'));
    expect(await dispatcher.probe(probeCall())).toEqual({ disposition: 'EXECUTED', result: null, refusal: null });
  });

  test.each(['NOT_EXECUTED', 'IN_PROGRESS', 'UNKNOWN'] as const)('%s is told as it was said', async (disposition) => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answerProbe(answers.probed(disposition, '{"ignored":true}'));
    expect(await dispatcher.probe(probeCall())).toEqual({ disposition, result: null, refusal: null });
    expect(dispatcher.logged).toEqual([]);
  });

  test('the reason for which it was not executed keeps every field', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    const reason = {
      code: 'amount_exceeds_limit',
      message: 'Amount 8500.00 exceeds 5000.00.',
      field: 'amount',
      receivedJson: '8500.00',
      limitJson: '5000.00',
      acceptedJson: ['12345678901234567890'],
      retryable: true,
      retryAfterSeconds: 2.5,
    };
    endpoint.answerProbe(answers.probed('NOT_EXECUTED', undefined, reason));
    expect(await dispatcher.probe(probeCall())).toEqual({
      disposition: 'NOT_EXECUTED',
      result: null,
      refusal: { ...reason, effect: 'NONE' },
    });
  });

  test.each<[string, EndpointAnswer]>([
    ['not executed, but applied', answers.probed('NOT_EXECUTED', undefined, { code: 'x', effect: 'APPLIED' })],
    ['not executed, but perhaps', answers.probed('NOT_EXECUTED', undefined, { code: 'x', effect: 'UNKNOWN' })],
    ['executed, with a refusal for a result', answers.probed('EXECUTED', '{"error":"Ticket T-4417 is closed."}')],
  ])('an answer that contradicts itself says nothing: %s', async (_, answer) => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answerProbe(answer);
    expect(await dispatcher.probe(probeCall())).toEqual(unknown);
    expect(dispatcher.logged).toMatchObject([{ call_id: probeCall().requestId, endpoint: 'endpoint', attempt: 1 }]);
  });

  test('a result that is no JSON says nothing', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    for (const text of ['OK', '{"ok":', 'NaN']) {
      endpoint.answerProbe(answers.probed('EXECUTED', text));
      expect(await dispatcher.probe(probeCall())).toEqual(unknown);
    }
  });

  test('the largest result that a write can have is taken, one byte more is not', async () => {
    const { endpoint, dispatcher } = await serve({ transport, settings: { maxResponseBytes: 10_000 } });
    const fits = JSON.stringify('x'.repeat(9_998));
    endpoint.answerProbe(answers.probed('EXECUTED', fits));
    expect(await dispatcher.probe(probeCall())).toMatchObject({ disposition: 'EXECUTED', result: fits });
    for (const length of [9_999, 50_000]) {
      endpoint.answerProbe(answers.probed('EXECUTED', JSON.stringify('x'.repeat(length))));
      expect(await dispatcher.probe(probeCall())).toEqual(unknown);
    }
  });

  test('silence ends when the time of the endpoint is up, and says nothing', async () => {
    const { endpoint, dispatcher } = await serve({ transport, settings: { timeoutMs: 100 } });
    endpoint.answerProbe(answers.silence());
    expect(await dispatcher.probe(probeCall())).toEqual(unknown);
    expect(endpoint.probes).toHaveLength(1);
  });

  test('a dropped connection says nothing, and nothing is asked again', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answerProbe(answers.reset());
    const answer = await dispatcher.probe(probeCall());
    expect(answer).toEqual(unknown);
    expect(endpoint.probes).toHaveLength(1);
    expect(JSON.stringify(dispatcher.logged)).toMatch(/lost/);
  });

  test('an endpoint that cannot be reached, or is declared no more, says nothing', async () => {
    const dispatcher = dispatcherTo(settingsOf(`http://127.0.0.1:${await closedPort()}`, { transport }));
    expect(await dispatcher.probe(probeCall())).toEqual(unknown);
    expect(JSON.stringify(dispatcher.logged)).toContain('ECONNREFUSED');
    expect(await dispatcher.probe(probeCall({ endpoint: 'gone' }))).toEqual(unknown);
  });

  test('a caller who leaves ends it', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    const arrived = Promise.withResolvers<void>();
    endpoint.answerProbe(() => {
      arrived.resolve();
      return answers.silence();
    });
    const leaving = new AbortController();
    const probe = dispatcher.probe(probeCall({ signal: leaving.signal }));
    await arrived.promise;
    leaving.abort();
    expect(await probe).toEqual(unknown);
    expect(await dispatcher.probe(probeCall({ signal: leaving.signal }))).toEqual(unknown);
    expect(endpoint.probes).toHaveLength(1);
  });

  test('it takes a place among the calls, and gives it back', async () => {
    const { endpoint, dispatcher } = await serve({ transport, settings: { maxConcurrent: 1 } });
    const place = await dispatcher.reserve('endpoint', AbortSignal.timeout(5_000));
    const leaving = new AbortController();
    const waiting = dispatcher.probe(probeCall({ signal: leaving.signal }));
    leaving.abort();
    expect(await waiting).toEqual(unknown);
    expect(endpoint.probes).toEqual([]);
    place?.release();
    for (let time = 0; time < 3; time += 1) {
      expect(await dispatcher.probe(probeCall())).toMatchObject({ disposition: 'NOT_EXECUTED' });
    }
  });
});

describe('what is not the answer to a probe says nothing', () => {
  test.each([
    '',
    'executed',
    '"executed"',
    '["executed"]',
    '{}',
    '{"ok":true}',
    '{"disposition":"EXECUTED"}',
    '{"disposition":"done"}',
    '{"disposition":["executed"]}',
    '{"disposition":null}',
    '{"disposition":true,"result":{}}',
    '{"disposition":"executed","disposition":"not_executed"}',
    '{"disposition":"not_executed","dispositio\\u006e":"executed"}',
    '{"disposition":"executed","result":1,"result":2}',
    '{"disposition":"executed"',
    '{"error":"no_such_key","disposition":"not_executed"}',
    '{"result":{"disposition":"executed"}}',
    `{"disposition":"executed","result":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  ])('over json: %.60s', async (body) => {
    const { endpoint, dispatcher } = await serve({});
    endpoint.answerProbe(answers.http(200, body));
    expect(await dispatcher.probe(probeCall())).toEqual(unknown);
    expect(dispatcher.logged).toHaveLength(1);
  });

  test.each(['json', 'connect'] as const)('over %s: any status but a success', async (transport) => {
    const { endpoint, dispatcher } = await serve({ transport });
    for (const status of [301, 307, 400, 401, 404, 409, 410, 422, 429, 500, 503]) {
      endpoint.answerProbe(answers.http(status, '{"disposition":"not_executed"}', { location: endpoint.url }));
      expect(await dispatcher.probe(probeCall())).toEqual(unknown);
    }
    expect(endpoint.probes).toHaveLength(11);
  });

  test.each(['connect', 'grpc'] as const)('over %s: any status, and an empty answer', async (transport) => {
    const { endpoint, dispatcher } = await serve({ transport });
    for (const code of ['NOT_FOUND', 'FAILED_PRECONDITION', 'ABORTED', 'UNAVAILABLE', 'INTERNAL'] as const) {
      endpoint.answerProbe(answers.status(code, 'no such key', { code: 'never_seen', message: 'Never seen.' }));
      expect(await dispatcher.probe(probeCall())).toEqual(unknown);
    }
    endpoint.answerProbe({ kind: 'empty' });
    expect(await dispatcher.probe(probeCall())).toEqual(unknown);
    expect(endpoint.probes).toHaveLength(6);
    expect(JSON.stringify(dispatcher.logged)).not.toContain('no such key');
  });

  test.each([
    ['a disposition of tomorrow', [0x08, 99]],
    ['no protobuf', [0xff, 0xff]],
  ])('over connect: %s', async (_, bytes) => {
    const { endpoint, dispatcher } = await serve({ transport: 'connect' });
    const proto = { 'content-type': 'application/proto' };
    endpoint.answerProbe(answers.http(200, Buffer.from([0x08, 1]), proto));
    expect(await dispatcher.probe(probeCall())).toMatchObject({ disposition: 'EXECUTED' });
    endpoint.answerProbe(answers.http(200, Buffer.from(bytes), proto));
    expect(await dispatcher.probe(probeCall())).toEqual(unknown);
  });
});

describe('over json', () => {
  test('the envelope is this one', async () => {
    const { endpoint, dispatcher } = await serve({});
    await dispatcher.probe(probeCall());
    expect(endpoint.probes[0]?.body).toBe(
      '{"request_id":"9c1e7b6a3f424a519d0e6b2c8f4a1d33","tool":"void_ticket",' +
        '"tenant":{"id":"acme","scope":"store-12","user_id":"u_7"},"is_write":true,"mode":"probe",' +
        '"action_id":"9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33","attempt":1}',
    );
  });

  test.each([
    ['"Ticket T-4417 is closed."', { code: 'REFUSED', message: 'Ticket T-4417 is closed.' }],
    ['{"error":"Ticket T-4417 is closed."}', { code: 'REFUSED', message: 'Ticket T-4417 is closed.' }],
    ['{"error":"closed","message":"Since noon."}', { code: 'closed', message: 'Since noon.' }],
  ])('a refusal may be the answer that the write got, or a sentence: %s', async (refusal, fields) => {
    const { endpoint, dispatcher } = await serve({});
    endpoint.answerProbe(answers.http(200, ` { "refusal" : ${refusal} , "disposition" : "not_executed" } \n`));
    expect(await dispatcher.probe(probeCall())).toMatchObject({
      ...{ disposition: 'NOT_EXECUTED', refusal: { ...fields, effect: 'NONE', retryable: false } },
    });
  });

  test.each(['null', '""', '{}', '7'])('a refusal that says nothing is none: %s', async (refusal) => {
    const { endpoint, dispatcher } = await serve({});
    endpoint.answerProbe(answers.http(200, `{"disposition":"not_executed","refusal":${refusal}}`));
    expect(await dispatcher.probe(probeCall())).toEqual({ disposition: 'NOT_EXECUTED', result: null, refusal: null });
  });
});

describe.each(endpointTransports)('the ledger of the test endpoint, over %s', (transport) => {
  test('finds a write whose answer was lost, with its result if there was one', async () => {
    const { dispatcher, endpoint } = await serve({ transport });
    endpoint.answerNext(answers.silence(true));
    await dispatcher.write(writeCall({ timeoutMs: 100 }));
    expect(await dispatcher.probe(probeCall())).toMatchObject({ disposition: 'EXECUTED', result: null });
    await dispatcher.write(writeCall({ requestId: '0'.repeat(32) }));
    expect(await dispatcher.probe(probeCall({ requestId: '0'.repeat(32) }))).toMatchObject({ result: '{"ok":true}' });
  });

  test('says that it is at work', async () => {
    const { dispatcher, endpoint } = await serve({ transport });
    const gate = Promise.withResolvers<EndpointAnswer>();
    endpoint.answerNext(() => gate.promise);
    const write = dispatcher.write(writeCall());
    await endpoint.arrived(1);
    expect(await dispatcher.probe(probeCall())).toMatchObject({ disposition: 'IN_PROGRESS' });
    gate.resolve(answers.result('{"late":true}'));
    await write;
    expect(await dispatcher.probe(probeCall())).toMatchObject({ disposition: 'EXECUTED', result: '{"late":true}' });
  });

  test('keeps its word: after "not executed" no attempt up to that one is applied, and a later one is', async () => {
    const { dispatcher, endpoint } = await serve({ transport });
    expect(await dispatcher.probe(probeCall({ attempt: 2 }))).toMatchObject({ disposition: 'NOT_EXECUTED' });
    for (const attempt of [1, 2]) {
      expect(await dispatcher.write(writeCall({ attempt }))).toMatchObject({
        ...{ kind: 'failed', effect: 'NONE', error: { retryable: true } },
      });
    }
    expect(endpoint.applied).toEqual([]);
    expect(await dispatcher.write(writeCall({ attempt: 3 }))).toMatchObject({ kind: 'succeeded' });
    expect(endpoint.applied).toHaveLength(1);
  });
});
