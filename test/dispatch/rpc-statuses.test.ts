/** The rows of DESIGN §4 that are gRPC or Connect statuses, sent by real handlers. */
import { describe, expect, test } from 'vitest';
import { type StatusCode, statusCodes } from '../../server/dispatch/transport.ts';
import { answers } from '../support/endpoint.ts';
import { readCall, serve, writeCall } from './calls.ts';

const refusing: StatusCode[] = ['INVALID_ARGUMENT', 'FAILED_PRECONDITION', 'OUT_OF_RANGE', 'ALREADY_EXISTS'];
const others = statusCodes.filter((code) => !refusing.includes(code));
const retried: StatusCode[] = ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED'];

describe.each(['connect', 'grpc'] as const)('over %s', (transport) => {
  test.each(refusing)('%s with a message is a refusal', async (code) => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.status(code, 'Ticket T-4417 is closed – 50% off.'));
    expect(await dispatcher.write(writeCall())).toMatchObject({
      ...{ kind: 'refused', effect: 'NONE' },
      error: { code: 'REFUSED', message: 'Ticket T-4417 is closed – 50% off.', effect: 'NONE', retryable: false },
    });
  });

  test.each(refusing)('%s with our detail is that refusal, with all of its fields', async (code) => {
    const { endpoint, dispatcher } = await serve({ transport });
    const detail = { code: 'closed', message: 'Closed.', field: 'ticket_id', limitJson: '1.50', retryable: true };
    endpoint.answer(answers.status(code, 'not this', { ...detail, effect: 'APPLIED' }));
    expect(await dispatcher.write(writeCall())).toMatchObject({
      ...{ kind: 'refused', effect: 'APPLIED', error: { ...detail, effect: 'APPLIED' } },
    });
    expect(await dispatcher.read(readCall())).toMatchObject({
      ...{ kind: 'failed', attempts: 1 },
      error: { code: 'TOOL_UNAVAILABLE', message: 'Closed.', field: 'ticket_id', effect: 'NONE' },
    });
  });

  test.each(refusing)('%s without a reason turned the call away', async (code) => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.status(code, ''));
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'failed', effect: 'NONE' });
  });

  test.each(others)('%s means for a write what the table says, and its words go no further', async (code) => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.status(code, 'at db.internal:5432', { code: 'secret', message: 'secret' }));
    const answer = await dispatcher.write(writeCall());
    expect(answer).toMatchObject(meaningOf(code));
    expect(JSON.stringify(answer)).not.toMatch(/secret|db\.internal/);
    endpoint.answer(answers.status(code));
    expect(await dispatcher.write(writeCall())).toMatchObject(meaningOf(code));
    expect(endpoint.calls).toHaveLength(2);
  });

  test.each(statusCodes)('a read is made again after %s only if that may pass', async (code) => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer(answers.status(code, 'at db.internal:5432'));
    const attempts = retried.includes(code) ? 3 : 1;
    const answer = await dispatcher.read(readCall());
    expect(answer).toMatchObject({ kind: 'failed', attempts, error: { code: 'TOOL_UNAVAILABLE' } });
    expect(endpoint.calls).toHaveLength(attempts);
  });

  test('an answer that says nothing decides nothing', async () => {
    const { endpoint, dispatcher } = await serve({ transport });
    endpoint.answer({ kind: 'empty', applied: true });
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'no-answer', error: { effect: 'UNKNOWN' } });
    expect(await dispatcher.read(readCall())).toMatchObject({ attempts: 1, error: { code: 'RESPONSE_INVALID' } });
  });
});

test('Connect’s status for a cancelled call decides nothing, whatever is in it', async () => {
  const { endpoint, dispatcher } = await serve({ transport: 'connect', settings: { maxResponseBytes: 100 } });
  for (const body of ['', '<html>', JSON.stringify({ code: 'canceled', message: 'x'.repeat(2_000) })]) {
    endpoint.answer(answers.http(499, body));
    expect(await dispatcher.write(writeCall())).toMatchObject({ kind: 'no-answer', error: { effect: 'UNKNOWN' } });
  }
});

/** The second table of DESIGN §4. */
function meaningOf(code: StatusCode): object {
  switch (code) {
    case 'NOT_FOUND':
    case 'PERMISSION_DENIED':
    case 'UNAUTHENTICATED':
    case 'UNIMPLEMENTED':
      return { kind: 'failed', effect: 'NONE', error: { effect: 'NONE', retryable: false } };
    case 'RESOURCE_EXHAUSTED':
    case 'ABORTED':
      return { kind: 'failed', effect: 'NONE', error: { effect: 'NONE', retryable: true } };
    case 'UNKNOWN':
    case 'INTERNAL':
    case 'DATA_LOSS':
      return { kind: 'failed', effect: 'UNKNOWN', error: { effect: 'UNKNOWN', retryable: true } };
    default:
      return { kind: 'no-answer', error: { code: 'OUTCOME_INDETERMINATE', effect: 'UNKNOWN' } };
  }
}
