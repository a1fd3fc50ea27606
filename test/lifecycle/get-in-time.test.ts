import { expect, test } from 'vitest';
import { type Action, type Attempt, type AttemptOutcome, states } from '../../server/domain/action.ts';
import { effects } from '../../server/domain/effect.ts';
import { modelText } from '../../server/domain/model-text.ts';
import { errorOf } from '../../server/domain/outcome.ts';
import { get } from '../../server/lifecycle/get.ts';
import type { ActionStore } from '../../server/lifecycle/ports/action-store.ts';
import { actor, at, id, observed } from '../support/observed-action.ts';

function attempt(number: number, outcome: AttemptOutcome): Attempt {
  const deadlineAt = new Date(at.getTime() + 20_000);
  const error = { code: 'EXECUTION_FAILED_RETRYABLE', message: 'It failed.', effect: 'NONE', retryable: true } as const;
  return {
    number,
    outcome,
    effect: 'NONE',
    startedAt: at,
    deadlineAt,
    leaseUntil: deadlineAt,
    finishedAt: outcome === 'OPEN' ? null : deadlineAt,
    confirmedBy: actor,
    result: null,
    error: outcome === 'FAILED' || outcome === 'NO_ANSWER' ? error : null,
  };
}

const histories: readonly (readonly AttemptOutcome[])[] = [
  [],
  ['FAILED'],
  ['NO_ANSWER', 'FAILED'],
  ['NO_ANSWER', 'FAILED', 'OPEN'],
];

/** Every state with every effect after every history, whether or not it is ever come to. */
const actions: readonly Action[] = states.flatMap((state) =>
  effects.flatMap((effect) =>
    histories.map(
      (history) =>
        observed({ state, effect, attempts: history.map((outcome, index) => attempt(index + 1, outcome)) }).action,
    ),
  ),
);

test('of one and the same action a get tells what holds at the time of the read, on either side of its expiry', async () => {
  const { expiresAt } = observed().action;
  const times = [-600_000, -1, 0, 1, 600_000].map((ms) => new Date(expiresAt.getTime() + ms));
  let told = 0;
  for (const action of actions) {
    for (const time of [...times, ...times.toReversed()]) {
      const seen = { action, at: time };
      const store = { find: async () => seen } as Partial<ActionStore> as ActionStore;
      const principal = { tenantId: 'acme', credentialId: 'c', userId: 'u', role: 'operator', scopes: null } as const;
      const shown = await get(store, principal, { by: 'action-id', actionId: id });
      expect(shown).toEqual({
        action,
        error: errorOf(seen),
        modelJson: modelText(seen, { idempotentReplay: false }),
      });
      told += 1;
    }
  }
  expect(told).toBe(states.length * effects.length * histories.length * 10);
});
