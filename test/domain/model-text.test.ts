import { expect, test } from 'vitest';
import type { Attempt, Observed } from '../../server/domain/action.ts';
import type { ActionableError } from '../../server/domain/error.ts';
import { modelText } from '../../server/domain/model-text.ts';
import { actor, at, id, observed } from '../support/observed-action.ts';

function attempt(over: Partial<Attempt>): Attempt {
  const rest = {
    startedAt: at,
    deadlineAt: at,
    leaseUntil: at,
    finishedAt: at,
    confirmedBy: actor,
    result: null,
    error: null,
  };
  return { number: 1, outcome: 'FAILED', effect: 'NONE', ...rest, ...over };
}

const tell = (seen: Observed, idempotentReplay = false) => JSON.parse(modelText(seen, { idempotentReplay }));

test('a staged write is told as the reference spells its preview envelope, in its order', () => {
  expect(modelText(observed(), { idempotentReplay: false })).toBe(
    `{"preview":true,"action_id":"${id}","plan_id":"1a7f","command_type":"void_ticket","summary":"void ticket — awaiting confirmation.","expires_at":"2026-08-20T18:41:07Z","confirmation_required":true,"preview_digest":"sha256:00"}`,
  );
});

test('a risky one says that it must be acknowledged and why; a repeat says that it is one', () => {
  expect(tell(observed({ risk: 'high' }), true)).toMatchObject({
    acknowledgement_required: true,
    acknowledgement_reasons: ['The tool is declared high risk.'],
    idempotent_replay: true,
  });
});

test('a result stands in the text byte for byte, and nothing says preview', () => {
  const result = '{"n":9007199254740993, "f":5000.00,"z":"\\u0000"}';
  const seen = observed({
    state: 'SUCCEEDED',
    effect: 'APPLIED',
    resultAttempt: 1,
    attempts: [attempt({ outcome: 'SUCCEEDED', effect: 'APPLIED', result })],
  });
  const text = modelText(seen, { idempotentReplay: true });
  expect(text).toContain(`"result":${result}`);
  expect(text).not.toContain('preview');
  expect(tell(seen, true)).toMatchObject({ state: 'SUCCEEDED', effect: 'APPLIED', idempotent_replay: true });
});

test("a vendor's refusal passes with its own code, its numbers as it wrote them and its moves", () => {
  const error: ActionableError = {
    code: 'amount_exceeds_limit',
    message: 'Amount 8500.00 GBP exceeds the limit of 5000.00 GBP.',
    field: 'amount',
    receivedJson: '8500.00',
    limitJson: '5000.00',
    effect: 'NONE',
    retryable: false,
    alternatives: [{ action: 'split_payment', extraJson: '{"max_amount":5000.00}' }],
  };
  const seen = observed({ state: 'REFUSED', attempts: [attempt({ outcome: 'REFUSED', error })] });
  const text = modelText(seen, { idempotentReplay: false });
  expect(text).toContain('"received":8500.00,"limit":5000.00');
  expect(text).toContain('"alternatives":[{"action":"split_payment","max_amount":5000.00}]');
  expect(tell(seen)).toMatchObject({
    state: 'REFUSED',
    error: 'amount_exceeds_limit',
    effect: 'NONE',
    retryable: false,
  });
});

test('a released action in doubt still waits, and says that it is in doubt, how many attempts are used and what to do', () => {
  const error = {
    code: 'EXECUTION_FAILED_RETRYABLE',
    message: 'Execution failed.',
    effect: 'UNKNOWN',
    retryable: true,
  } as const;
  const seen = observed({ effect: 'UNKNOWN', attempts: [attempt({ effect: 'UNKNOWN', error })] });
  expect(tell(seen)).toMatchObject({
    preview: true,
    error: 'execution_failed_retryable',
    effect: 'UNKNOWN',
    retryable: true,
  });
  expect(tell(seen).message).toMatch(/1\/3 attempts used.*may have taken effect/);
  expect(tell(seen).alternatives).toContainEqual(
    expect.objectContaining({ action: 'get', arguments: { action_id: id } }),
  );
});

test('a write that nobody confirmed in time says to propose it again, with the arguments ready', () => {
  for (const seen of [observed({ state: 'EXPIRED', expiresAt: at }), observed({ expiresAt: at })]) {
    expect(tell(seen)).toMatchObject({ error: 'action_expired', effect: 'NONE', retryable: false });
    expect(tell(seen).preview).toBeUndefined();
    expect(tell(seen).alternatives).toContainEqual(
      expect.objectContaining({ action: 'stage', tool: 'void_ticket', arguments: { ticket_id: 'T-4417' } }),
    );
  }
});

test('one that expired in doubt does not say to propose it again', () => {
  const seen = observed({ state: 'EXPIRED', effect: 'UNKNOWN', attempts: [attempt({ effect: 'UNKNOWN' })] });
  expect(tell(seen).effect).toBe('UNKNOWN');
  expect(tell(seen).alternatives.map((move: { action: string }) => move.action)).toEqual(['get']);
});

test('an unknown outcome is called unknown, in every word', () => {
  const seen = observed({
    state: 'INDETERMINATE',
    effect: 'UNKNOWN',
    attempts: [attempt({ outcome: 'NO_ANSWER', effect: 'UNKNOWN' })],
  });
  expect(tell(seen)).toMatchObject({
    state: 'INDETERMINATE',
    error: 'outcome_indeterminate',
    effect: 'UNKNOWN',
    retryable: false,
  });
  expect(tell(seen).message).toMatch(/may or may not have taken effect/);
});
