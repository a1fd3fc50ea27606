/** The rows of DESIGN §4 that are HTTP statuses, over both transports that meet them. */
import { describe, expect, test } from 'vitest';
import { answers } from '../support/endpoint.ts';
import { readCall, serve, writeCall } from './calls.ts';

describe.each(['json', 'connect'] as const)('over %s', (transport) => {
  const statuses = [301, 302, 307, 308, 300, 304, 400, 401, 403, 404, 405, 408, 409, 410, 412, 413, 422, 425, 429, 451];
  const failures = [500, 501, 502, 503, 504, 505, 599];

  test.each([...statuses, ...failures])(
    'HTTP %i without a reason means for a write what the table says',
    async (status) => {
      const { endpoint, dispatcher } = await serve({ transport });
      endpoint.answer(
        answers.http(status, '<html>no reason</html>', { 'content-type': 'text/html', location: '/else' }),
      );
      const answer = await dispatcher.write(writeCall());
      expect(answer).toMatchObject(meaningOf(status));
      expect(JSON.stringify(answer)).not.toContain('html');
      expect(endpoint.calls).toHaveLength(1);
    },
  );

  test.each([400, 409, 410, 412, 422])('HTTP %i with a reason is a refusal', async (status) => {
    const { endpoint, dispatcher } = await serve({ transport });
    const refused = { kind: 'refused', effect: 'NONE' };
    for (const [body, code, message] of [
      ['{"error":"Ticket T-4417 is closed."}', 'REFUSED', 'Ticket T-4417 is closed.'],
      ['{"message":"Ticket T-4417 is closed."}', 'REFUSED', 'Ticket T-4417 is closed.'],
      ['{"error":"closed","message":"Ticket T-4417 is closed."}', 'closed', 'Ticket T-4417 is closed.'],
      ['{"error":{"code":"CLOSED","message":"Ticket T-4417 is closed."}}', 'CLOSED', 'Ticket T-4417 is closed.'],
    ] as const) {
      endpoint.answer(answers.http(status, body));
      expect(await dispatcher.write(writeCall())).toMatchObject({
        ...refused,
        error: { code, message, effect: 'NONE', retryable: false },
      });
    }
  });

  test.each(['{}', '[]', '"text"', '{"error":null}', '{"message":""}', '{"message":7}', '{"error":', ''])(
    'a refusing status with %s in it gives no reason, so it is any other 4xx',
    async (body) => {
      const { endpoint, dispatcher } = await serve({ transport });
      endpoint.answer(answers.http(409, body));
      expect(await dispatcher.write(writeCall())).toMatchObject(meaningOf(409));
    },
  );

  test.each([401, 403, 404, 500, 502, 503])('HTTP %i passes nothing of the vendor on', async (status) => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(
      answers.http(status, '{"error":"secret_code","message":"at db.internal:5432"}', { 'retry-after': '7' }),
    );
    const answer = await dispatcher.write(writeCall());
    expect(answer).toMatchObject(meaningOf(status));
    expect(JSON.stringify(answer)).not.toMatch(/secret|internal:|"retryAfterSeconds":7/);
  });

  test.each([425, 429])('HTTP %i says when to come back', async (status) => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.http(status, '', { 'retry-after': '7' }));
    expect(await dispatcher.write(writeCall())).toMatchObject({ error: { retryable: true, retryAfterSeconds: 7 } });
    endpoint.answer(answers.http(status, '', { 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' }));
    const answer = await dispatcher.write(writeCall());
    expect(answer).toMatchObject({ error: { retryable: true } });
    expect(answer.kind === 'failed' ? answer.error.retryAfterSeconds : 0).toBeUndefined();
  });

  test.each([400, 403, 500])('a body over the cap does not change what HTTP %i says', async (status) => {
    const { endpoint, dispatcher } = await serve({ transport, settings: { maxResponseBytes: 1_000 } });
    endpoint.answer(answers.http(status, JSON.stringify({ error: 'x'.repeat(3_000) })));
    expect(await dispatcher.write(writeCall())).toMatchObject(meaningOf(status));
  });

  test('what failed is said, and what can be done next is left to who knows how many attempts are left', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    for (const status of [301, 401, 408, 425, 429, 500, 503, 504]) {
      endpoint.answer(answers.http(status));
      const answer = await dispatcher.write(writeCall());
      const message = 'error' in answer ? answer.error.message : '';
      expect(message).toMatch(/^\S.*\.$/);
      expect(message).not.toMatch(/confirm|may or may not|check/i);
    }
    const unsent = await dispatcher.write(writeCall({ maySend: () => false }));
    expect(unsent).toMatchObject({ error: { message: 'Nothing was sent: it was too late to send the call.' } });
  });

  test('a body that is cut decides nothing', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.cut('{"ok":true}', true));
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'no-answer', error: { effect: 'UNKNOWN' } });
    expect(await dispatcher.read(readCall())).toMatchObject({ ...{ kind: 'failed', attempts: 3 } });
    expect(endpoint.calls).toHaveLength(4);
  });

  test.each([408, 429, 502, 503, 504])('a read is made again after HTTP %i', async (status) => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answerNext(answers.http(status), answers.http(status));
    expect(await dispatcher.read(readCall())).toMatchObject({ kind: 'result', attempts: 3 });
    expect(dispatcher.gaps).toEqual([150, 300]);
  });

  test.each([302, 400, 401, 403, 404, 409, 425, 500, 501])('a read is not made again after HTTP %i', async (status) => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.http(status, 'no', { location: '/else' }));
    expect(await dispatcher.read(readCall())).toMatchObject({
      ...{ kind: 'failed', attempts: 1, error: { code: 'TOOL_UNAVAILABLE', retryable: false } },
    });
    expect(endpoint.calls).toHaveLength(1);
  });

  test('a read refused with a reason passes the reason on', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.http(422, '{"error":"no_such_ticket","message":"No ticket T-1.","field":"ticket_id"}'));
    expect(await dispatcher.read(readCall())).toMatchObject({
      ...{ kind: 'failed', attempts: 1 },
      error: { code: 'TOOL_UNAVAILABLE', message: 'No ticket T-1.', field: 'ticket_id' },
    });
  });
});

describe('over json', () => {
  test.each([200, 201, 202, 203, 206, 299])('HTTP %i with JSON is a success', async (status) => {
    const { endpoint, dispatcher } = await serve({});
    endpoint.answer(answers.http(status, '{"ok":1}', { 'content-type': 'text/plain' }));
    expect(await dispatcher.write(writeCall())).toEqual({ kind: 'succeeded', result: '{"ok":1}' });
  });

  test('HTTP 204 is no JSON', async () => {
    const { endpoint, dispatcher } = await serve({});
    endpoint.answer(answers.http(204));
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'no-answer' });
  });

  test('bytes that are no UTF-8 decide nothing', async () => {
    const { endpoint, dispatcher } = await serve({});
    endpoint.answer(answers.http(200, Buffer.from([0x22, 0xff, 0xfe, 0x22])));
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'no-answer' });
    expect(await dispatcher.read(readCall())).toMatchObject({ error: { code: 'RESPONSE_INVALID' } });
  });

  test('a compressed body, which nobody asked for, decides nothing', async () => {
    const { endpoint, dispatcher } = await serve({});
    endpoint.answer(answers.http(200, Buffer.from([0x1f, 0x8b, 8, 0]), { 'content-encoding': 'gzip' }));
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'no-answer' });
  });

  test('the envelope has every member, the key in the header, and the arguments as they were', async () => {
    const { endpoint, dispatcher } = await serve({});
    await dispatcher.write(writeCall({ tenant: { id: 'acme', scope: '', userId: '' } }));
    expect(endpoint.calls[0]?.body).toBe(
      '{"request_id":"9c1e7b6a3f424a519d0e6b2c8f4a1d33","tool":"void_ticket",' +
        '"args":{"reason":"spilled","ticket_id":"T-4417"},"tenant":{"id":"acme","scope":"","user_id":""},' +
        '"is_write":true,"mode":"execute","action_id":"9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33","attempt":1,' +
        '"deadline":"2026-08-20T18:41:07.250Z"}',
    );
    expect(endpoint.calls[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
  });
});

/** The table of DESIGN §4, for an answer without a reason. */
function meaningOf(status: number): object {
  if (status < 400 || [408, 502, 504].includes(status)) {
    return { kind: 'no-answer', error: { code: 'OUTCOME_INDETERMINATE', effect: 'UNKNOWN' } };
  }
  const code = 'EXECUTION_FAILED_RETRYABLE';
  if (status >= 500) return { kind: 'failed', effect: 'UNKNOWN', error: { code, effect: 'UNKNOWN', retryable: true } };
  const retryable = status === 425 || status === 429;
  return { kind: 'failed', effect: 'NONE', error: { code, effect: 'NONE', retryable } };
}
