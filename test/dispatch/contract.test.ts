/** What every transport promises in the same way (DESIGN §4), against real servers. */
import { describe, expect, test } from 'vitest';
import { endpointTransports } from '../../server/domain/endpoint.ts';
import { answers } from '../support/endpoint.ts';
import { readCall, serve, writeCall } from './calls.ts';

describe.each(endpointTransports)('over %s', (transport) => {
  test('a write arrives as it was confirmed, once, under its idempotency key', async () => {
    const { endpoint, dispatcher } = await serve({ transport, settings: { bearerToken: 'shared' } });
    const args = '{"big":"9007199254740993","text":"\\u20ac \\"quoted\\" \u20ac","total":0.1}';
    await dispatcher.write(writeCall({ arguments: args, attempt: 2 }));
    expect(endpoint.calls).toHaveLength(1);
    expect(endpoint.calls[0]).toMatchObject({
      idempotencyKey: '9c1e7b6a3f424a519d0e6b2c8f4a1d33',
      requestId: '9c1e7b6a3f424a519d0e6b2c8f4a1d33',
      tool: 'void_ticket',
      argumentsJson: args,
      tenant: { id: 'acme', scope: 'store-12', userId: 'u_7' },
      isWrite: true,
      mode: 'execute',
      actionId: '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33',
      attempt: 2,
      deadline: new Date('2026-08-20T18:41:07.250Z'),
      headers: { authorization: 'Bearer shared' },
    });
  });

  test('a read arrives as one', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    await dispatcher.read(readCall());
    const [call] = endpoint.calls;
    expect(call).toMatchObject({ isWrite: false, mode: 'read', actionId: '', attempt: 1 });
    expect(call?.tenant).toEqual({ id: 'acme', scope: '', userId: '' });
    expect(call?.requestId).toMatch(/^[0-9a-f]{32}$/);
    expect(call?.idempotencyKey).toBe(call?.requestId);
    expect(call?.headers.authorization).toBeUndefined();
  });

  test.each([
    ['{"a": 1, "a": 2 , "big": 9007199254740993, "nul": "\\u0000", "euro": "€"}'],
    [' [1.10, 1e400]\n'],
    ['"text"'],
    ['null'],
    ['{"error": null, "ok": true}'],
    ['{"error": false}'],
    ['{"error": ""}'],
    ['{"errors": ["not ours"]}'],
  ])('a success is kept as the text that was sent: %s', async (json) => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.result(json));
    expect(await dispatcher.write(writeCall())).toEqual({ kind: 'succeeded', result: json });
    expect(await dispatcher.read(readCall())).toEqual({ kind: 'result', result: json, attempts: 1 });
  });

  test.each([
    ['{"error":"Ticket T-4417 is already closed."}', 'REFUSED', 'Ticket T-4417 is already closed.'],
    ['{"error":true}', 'REFUSED', 'The endpoint refused the call: REFUSED.'],
    ['{"error":0}', 'REFUSED', 'The endpoint refused the call: REFUSED.'],
    ['{"error":{}}', 'REFUSED', 'The endpoint refused the call: REFUSED.'],
    ['{"error":{"code":"LOCKED","message":"Locked."}}', 'LOCKED', 'Locked.'],
    ['{"error":"till_closed"}', 'till_closed', 'The endpoint refused the call: till_closed.'],
  ])('a result with an error in it refuses a write, and is a result of a read: %s', async (json, code, message) => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.result(json));
    expect(await dispatcher.write(writeCall())).toMatchObject({
      kind: 'refused',
      effect: 'NONE',
      error: { code, message, effect: 'NONE', retryable: false },
    });
    expect(await dispatcher.read(readCall())).toMatchObject({ kind: 'result', result: json });
  });

  test('a refusal keeps every field of the vendor, values as they were sent', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    const refusal = {
      code: 'amount_exceeds_limit',
      message: 'Amount 8500.00 exceeds 5000.00.',
      field: 'amount',
      receivedJson: '8500.00',
      limitJson: '5000.00',
      acceptedJson: ['12345678901234567890', '{"a": 1}'],
      retryable: true,
      retryAfterSeconds: 2.5,
    };
    endpoint.answer(answers.refusal(refusal));
    expect(await dispatcher.write(writeCall())).toEqual({
      kind: 'refused',
      effect: 'NONE',
      error: { ...refusal, effect: 'NONE' },
    });
    const read = await dispatcher.read(readCall());
    expect(read).toMatchObject({ kind: 'result' });
    expect(JSON.parse(read.kind === 'result' ? read.result : '')).toMatchObject({
      ...{ error: 'amount_exceeds_limit', field: 'amount', received: 8500, retryable: true, retry_after_seconds: 2.5 },
    });
  });

  test.each(['UNKNOWN', 'APPLIED'] as const)('a refusal that left %s behind says so', async (effect) => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.refusal({ code: 'half_done', message: 'The drawer opened.', effect }));
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'refused', effect, error: { effect } });
  });

  test('a handler that breaks leaves the write in doubt; its status is logged, and its words neither there nor told', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.broken(transport, true));
    const answer = await dispatcher.write(writeCall());
    expect(answer).toMatchObject({
      kind: 'failed',
      effect: 'UNKNOWN',
      error: { code: 'EXECUTION_FAILED_RETRYABLE', effect: 'UNKNOWN', retryable: true },
    });
    expect(JSON.stringify([answer, dispatcher.logged])).not.toContain('stack trace');
    expect(JSON.stringify(dispatcher.logged)).toMatch(/"status":(500|"INTERNAL")/);
    expect(endpoint.calls).toHaveLength(1);
  });

  test.each([0, -1, -60_000])('a write with %i ms left is not sent', async (timeoutMs) => {
    const { endpoint, dispatcher } = await serve({ transport });
    expect(await dispatcher.write(writeCall({ timeoutMs }))).toMatchObject({ kind: 'failed', effect: 'NONE' });
    expect(endpoint.calls).toHaveLength(0);
  });

  test('silence decides nothing, and ends when the time of the attempt is up', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.silence(true));
    expect(await dispatcher.write(writeCall({ timeoutMs: 500 }))).toMatchObject({
      kind: 'no-answer',
      error: { code: 'OUTCOME_INDETERMINATE', effect: 'UNKNOWN' },
    });
    expect(endpoint.calls).toHaveLength(1);
  });

  test('a dropped connection decides nothing, and nothing is sent again', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    await dispatcher.write(writeCall());
    endpoint.answerNext(answers.reset(true));
    const answer = await dispatcher.write(writeCall());
    expect(answer).toMatchObject({ kind: 'no-answer', error: { effect: 'UNKNOWN' } });
    expect(endpoint.calls).toHaveLength(2);
    expect(JSON.stringify(answer)).not.toMatch(/ECONN|socket|RST|stream/);
    expect(dispatcher.logged).toMatchObject([{ call_id: writeCall().requestId, endpoint: 'endpoint' }]);
  });

  test('an answer of the largest size is taken, one byte more is not', async () => {
    const { endpoint, dispatcher } = await serve({ transport, settings: { maxResponseBytes: 10_000 } });
    const fits = JSON.stringify('x'.repeat(9_998));
    const tooLarge = JSON.stringify('x'.repeat(9_999));
    endpoint.answerNext(answers.result(fits), answers.result(tooLarge), answers.result(tooLarge));
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'succeeded', result: fits });
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'no-answer', error: { effect: 'UNKNOWN' } });
    const read = await dispatcher.read(readCall());
    expect(read).toMatchObject({
      kind: 'failed',
      attempts: 1,
      error: { code: 'RESPONSE_TOO_LARGE', retryable: false },
    });
    expect(JSON.stringify(read)).not.toContain('xxx');
  });

  test('a result that is no JSON decides nothing about a write, and fails a read', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    for (const text of ['', 'OK', '{"ok":true} x', '{"ok":', "{'ok':1}", 'NaN', '"raw \u0000"']) {
      endpoint.answer(answers.result(text));
      expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'no-answer' });
      expect(await dispatcher.read(readCall())).toMatchObject({
        ...{ kind: 'failed', attempts: 1, error: { code: 'RESPONSE_INVALID' } },
      });
    }
  });

  test('the last question before the first byte can still stop a write', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    let asked = 0;
    const answer = await dispatcher.write(
      writeCall({
        maySend: () => {
          asked += 1;
          return false;
        },
      }),
    );
    expect(answer).toMatchObject({ kind: 'failed', effect: 'NONE', error: { effect: 'NONE', retryable: true } });
    expect(asked).toBe(1);
    await dispatcher.write(writeCall({ requestId: '0'.repeat(32) }));
    expect(endpoint.calls.map(({ requestId }) => requestId)).toEqual(['0'.repeat(32)]);
  });

  test('it is asked once per write, on a fresh connection and on a used one', async () => {
    const { dispatcher } = await serve({ transport });
    let asked = 0;
    const maySend = () => {
      asked += 1;
      return true;
    };
    await dispatcher.write(writeCall({ maySend }));
    await dispatcher.write(writeCall({ maySend }));
    expect(asked).toBe(2);
  });

  test('a read is made again after a drop, under the same key, and not a fourth time', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.reset());
    expect(await dispatcher.read(readCall())).toMatchObject({
      ...{ kind: 'failed', attempts: 3, error: { code: 'TOOL_UNAVAILABLE', effect: 'NONE', retryable: true } },
    });
    expect(dispatcher.gaps).toEqual([150, 300]);
    expect(endpoint.calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(endpoint.calls.map(({ requestId }) => requestId)).size).toBe(1);
  });

  test('a read is made again when its time is up', async () => {
    const { endpoint, dispatcher } = await serve({ transport, settings: { timeoutMs: 500 } });
    endpoint.answerNext(answers.silence(), answers.silence());
    expect(await dispatcher.read(readCall())).toMatchObject({ kind: 'result', attempts: 3 });
    expect(dispatcher.gaps).toEqual([150, 300]);
    expect(new Set(endpoint.calls.map(({ requestId }) => requestId)).size).toBe(1);
  });

  test('two reads have two keys', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    await dispatcher.read(readCall());
    await dispatcher.read(readCall());
    expect(endpoint.calls[0]?.requestId).not.toBe(endpoint.calls[1]?.requestId);
  });

  test('a caller who leaves ends a read, and its attempts', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.silence());
    const leaving = new AbortController();
    const read = dispatcher.read(readCall({ signal: leaving.signal }));
    await endpoint.arrived(1);
    leaving.abort();
    expect(await read).toMatchObject({ kind: 'failed', attempts: 1 });
    expect(await dispatcher.read(readCall({ signal: leaving.signal }))).toMatchObject({ kind: 'failed', attempts: 1 });
    expect(endpoint.calls).toHaveLength(1);
  });

  test('writes at once get each its own answer', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(({ argumentsJson }) => answers.result(argumentsJson));
    const sent = Array.from({ length: 50 }, (_, number) => `{"number":${number}}`);
    const got = await Promise.all(sent.map((args) => dispatcher.write(writeCall({ arguments: args }))));
    expect(got).toEqual(sent.map((result) => ({ kind: 'succeeded', result })));
  });

  test('an argument of 256 KiB arrives whole', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    const args = JSON.stringify({ text: 'é'.repeat(131_000) });
    await dispatcher.write(writeCall({ arguments: args }));
    expect(endpoint.calls[0]?.argumentsJson).toBe(args);
  });

  test('closing ends what is in flight, without an answer', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.silence());
    const write = dispatcher.write(writeCall());
    await endpoint.arrived(1);
    await dispatcher.close();
    expect(await write).toMatchObject({ kind: 'no-answer' });
  });
});
