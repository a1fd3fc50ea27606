import { TetherError } from '@tether/client';
import { expect, test } from 'vitest';
import { pauseBeforeRepeat, type Repeat } from '../../../clients/typescript/src/call/repeat.ts';

const pace = { repeats: 3, baseDelayMs: 100, maxDelayMs: 1_000 };

function failed(over: Partial<TetherError>): TetherError {
  const error = {
    code: 'UNAVAILABLE',
    message: '',
    accepted: [],
    alternatives: [],
    effect: 'NONE',
    retryable: true,
  } as const;
  return new TetherError({ ...error, ...over }, { status: 'UNAVAILABLE', answered: over.answered ?? true });
}

const lostAnswer = failed({ answered: false, effect: 'UNKNOWN' });
const saysUnknown = failed({ effect: 'UNKNOWN' });
const busy = failed({});
const limited = failed({ code: 'RATE_LIMITED', retryAfterMs: 2_500 });
const inFlight = failed({ code: 'CONFIRM_IN_FLIGHT', retryAfterMs: 40_000 });
const endpointDown = failed({ code: 'TOOL_UNAVAILABLE' });
const refused = failed({ code: 'ACTION_SETTLED', retryable: false });

interface When {
  readonly tries?: number;
  readonly waits?: number;
  readonly lost?: boolean;
  readonly random?: number;
}

function pause(error: TetherError, repeat: Repeat, { tries = 1, waits = 0, lost = false, random = 0 }: When = {}) {
  return pauseBeforeRepeat(error, { repeat, tries, waits, lost }, pace, random);
}

test('a lost answer is asked for again, but never by a call that nothing makes safe to repeat', () => {
  for (const error of [lostAnswer, saysUnknown]) {
    expect(pause(error, 'read')).toBe(100);
    expect(pause(error, 'keyed')).toBe(100);
    expect(pause(error, 'confirm', { lost: true })).toBe(100);
    expect(pause(error, 'never')).toBeUndefined();
  }
});

test('what was told to come later comes later; a confirm only while its answer is out', () => {
  expect(pause(busy, 'read')).toBe(100);
  expect(pause(busy, 'confirm')).toBeUndefined();
  expect(pause(busy, 'confirm', { lost: true })).toBe(100);
  expect(pause(limited, 'read')).toBe(2_500);
  expect(pause(limited, 'never')).toBeUndefined();
});

test('a confirm in flight is waited for only by the confirm that lost its answer, and looked at often', () => {
  expect(pause(inFlight, 'confirm')).toBeUndefined();
  expect(pause(inFlight, 'confirm', { lost: true })).toBe(100);
  expect(pause(inFlight, 'confirm', { lost: true, tries: 40, waits: 39 })).toBe(1_000);
});

test('an answer is an answer, also one that somebody else could repeat', () => {
  for (const repeat of ['read', 'keyed', 'confirm', 'never'] as const) {
    expect(pause(endpointDown, repeat, { lost: true })).toBeUndefined();
    expect(pause(refused, repeat, { lost: true })).toBeUndefined();
  }
});

test('pauses double up to their limit, less up to a half by chance, and end after so many repeats', () => {
  expect([1, 2, 3, 4].map((tries) => pause(lostAnswer, 'read', { tries }))).toEqual([100, 200, 400, undefined]);
  expect(pause(lostAnswer, 'read', { tries: 3, random: 1 })).toBe(200);
  expect(pause(lostAnswer, 'read', { tries: 9, waits: 7 })).toBe(1_000);
});
