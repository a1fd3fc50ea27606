import { toJson } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { type ActionableError, ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CallError, type CallErrorCode } from '../../server/domain/error.ts';
import { clientOf, keyOf, protocols } from './clients.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { actionId } from './scripted-lifecycle.ts';

let doors: OpenDoors;
beforeAll(async () => {
  doors = await openDoors();
});
afterAll(() => doors.close(1000));

/** The table of the contract, written out once more. */
const table: Readonly<Record<CallErrorCode, keyof typeof Code>> = {
  ACTION_NOT_FOUND: 'NotFound',
  CONFIRM_IN_FLIGHT: 'Aborted',
  IDEMPOTENCY_KEY_REUSED: 'InvalidArgument',
  RISK_ACKNOWLEDGEMENT_REQUIRED: 'FailedPrecondition',
  PREVIEW_DIGEST_MISMATCH: 'FailedPrecondition',
  INTENT_HELD: 'FailedPrecondition',
  SECOND_PERSON_REQUIRED: 'PermissionDenied',
  ACTION_SETTLED: 'FailedPrecondition',
  NOT_IN_DOUBT: 'FailedPrecondition',
  OUTCOME_INDETERMINATE: 'FailedPrecondition',
  PRECONDITION_NOT_MET: 'FailedPrecondition',
  PRECONDITION_UNKNOWN: 'Unavailable',
  INVALID_ARGUMENTS: 'InvalidArgument',
  INVALID_REQUEST: 'InvalidArgument',
  INVALID_CURSOR: 'InvalidArgument',
  TOOL_NOT_FOUND: 'NotFound',
  CREDENTIAL_NOT_FOUND: 'NotFound',
  LAST_OPERATOR: 'FailedPrecondition',
  DELIVERY_NOT_FOUND: 'NotFound',
  UNAUTHENTICATED: 'Unauthenticated',
  PERMISSION_DENIED: 'PermissionDenied',
  RATE_LIMITED: 'ResourceExhausted',
  AUTHORIZER_DENIED: 'PermissionDenied',
  AUTHORIZER_UNAVAILABLE: 'Unavailable',
  TOOL_UNAVAILABLE: 'Unavailable',
  RESPONSE_TOO_LARGE: 'Unavailable',
  RESPONSE_INVALID: 'Unavailable',
  STOPPED: 'FailedPrecondition',
  INTERNAL: 'Internal',
  UNAVAILABLE: 'Unavailable',
};

const cases = (Object.keys(table) as CallErrorCode[]).flatMap((code) =>
  protocols.map((protocol) => [code, protocol] as const),
);

test.each(cases)('%s arrives whole by %s', async (code, protocol) => {
  const error = new CallError(code, {
    message: 'Der Betrag 70 € liegt über der Grenze von 50 €.',
    field: '/lines/0/amount',
    receivedJson: '70',
    limitJson: '50',
    acceptedJson: ['10', '"all"'],
    effect: 'UNKNOWN',
    retryable: true,
    retryAfterSeconds: 1.5,
    alternatives: [
      { action: 'get', argumentsJson: `{"action_id":"${actionId}"}`, description: 'Read.' },
      { action: 'stage', tool: 't', extraJson: '{"a":1}' },
    ],
  });
  doors.script.instead = () => Promise.reject(error);
  const client = clientOf(protocol, doors);
  const seen = await client.call('confirm', { actionId }, { headers: keyOf('approver') });
  client.close();
  expect(seen.code).toBe(Code[table[code]]);
  expect(seen.message).toBe('Der Betrag 70 € liegt über der Grenze von 50 €.');
  expect(seen.details.map((each) => toJson(ActionableErrorSchema, each))).toEqual([
    {
      code,
      message: 'Der Betrag 70 € liegt über der Grenze von 50 €.',
      field: '/lines/0/amount',
      receivedJson: '70',
      limitJson: '50',
      acceptedJson: ['10', '"all"'],
      effect: `EFFECT_${error.detail.effect}`,
      ...(error.detail.retryable ? { retryable: true } : {}),
      retryAfter: '1.500s',
      alternatives: [
        { action: 'get', argumentsJson: `{"action_id":"${actionId}"}`, description: 'Read.' },
        { action: 'stage', tool: 't', extraJson: '{"a":1}' },
      ],
    },
  ]);
});

test.each(protocols)('a detail too large for trailers is cut to what stock clients take, by %s', async (protocol) => {
  const huge = JSON.stringify('é'.repeat(100_000));
  doors.script.instead = () => {
    throw new CallError('INVALID_ARGUMENTS', {
      message: `${'語'.repeat(4000)} \ud800`,
      field: 'note',
      receivedJson: huge,
      limitJson: '3',
      acceptedJson: ['"short"'],
      alternatives: [{ action: 'stage', tool: 'note', argumentsJson: huge, description: 'Shorten it.' }],
    });
  };
  const client = clientOf(protocol, doors);
  const seen = await client.call('stage', { tool: 'note' }, { headers: keyOf('agent') });
  client.close();
  const [detail] = seen.details as [ActionableError];
  expect(detail).toMatchObject({
    code: 'INVALID_ARGUMENTS',
    field: 'note',
    receivedJson: '',
    limitJson: '3',
    acceptedJson: ['"short"'],
  });
  expect(detail.alternatives).toMatchObject([
    { action: 'stage', tool: 'note', argumentsJson: '', description: 'Shorten it.' },
  ]);
  expect(detail.message).toMatch(/^語+…$/);
});
