import { expect, test } from 'vitest';
import { everyStep } from '../../scripts/docs/every-life.ts';
import type { Action, Attempt } from '../../server/domain/action.ts';
import { CallError, callErrorCodes } from '../../server/domain/error.ts';
import { type CatalogedError, callErrors, outcomeErrors } from '../../server/domain/error-catalog.ts';
import { errorOf } from '../../server/domain/outcome.ts';
import type { Life } from '../../server/domain/transition.ts';
import { settledAction } from '../doors/scripted-lifecycle.ts';

const catalog: Readonly<Record<string, CatalogedError>> = outcomeErrors;

/** What an attempt that ended so has beside its record. */
const errors: Readonly<Record<Attempt['outcome'], string | null>> = {
  OPEN: null,
  SUCCEEDED: null,
  REFUSED: 'REFUSED',
  FAILED: 'EXECUTION_FAILED_RETRYABLE',
  NO_ANSWER: 'OUTCOME_INDETERMINATE',
};

function actionOf({ state, effect, attempts }: Life): Action {
  return {
    ...settledAction,
    state,
    effect,
    attempts: attempts.map(({ number, outcome, effect: left }): Attempt => {
      const code = errors[outcome];
      const error = code === null ? null : { code, message: 'It failed.', effect: left, retryable: false };
      return { ...settledAction.attempts[0], number, outcome, effect: left, error } as Attempt;
    }),
  };
}

function faultsOf(life: Life, at: Date): string[] {
  const action = actionOf(life);
  const error = errorOf({ action, at });
  if (error === null) return [];
  const known = catalog[error.code];
  if (known === undefined) return [`${error.code} is not in the catalog`];
  const moves: readonly string[] = known.moves;
  const answers = [
    [known.effect, error.effect],
    [known.retryable, error.retryable],
  ];
  return [
    ...answers
      .filter(([says, is]) => says !== 'told' && says !== is)
      .map(([says, is]) => `${error.code}: ${is}, not ${says}`),
    ...(error.effect === life.effect ? [] : [`${error.code} says ${error.effect} of a life with ${life.effect}`]),
    ...(error.alternatives ?? [])
      .filter((each) => !moves.includes(each.action))
      .map((each) => `${error.code}: ${each.action}`),
  ];
}

test('what is said of an action answers both questions as the catalog does, in every life it can have', () => {
  const { expiresAt } = settledAction;
  const lives = new Map(everyStep().map(({ from }) => [JSON.stringify(from), from]));
  const times = [new Date(expiresAt.getTime() - 1), new Date(expiresAt.getTime() + 1)];
  const faults = [...lives.values()].flatMap((life) => times.flatMap((at) => faultsOf(life, at)));
  expect([...new Set(faults)]).toEqual([]);
  expect(lives.size).toBeGreaterThan(500);
});

test.each(callErrorCodes)('%s says of itself what the catalog says of it', (code) => {
  const { effect, retryable }: CatalogedError = callErrors[code];
  const { detail } = new CallError(code, { message: 'It is refused.', effect: 'UNKNOWN', retryable: true });
  expect(detail.effect).toBe(effect === 'told' ? 'UNKNOWN' : effect);
  expect(detail.retryable).toBe(retryable === 'told' ? true : retryable);
});
