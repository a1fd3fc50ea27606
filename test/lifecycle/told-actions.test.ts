import { expect, test } from 'vitest';
import type { ActionFilter } from '../../server/lifecycle/ports/action-store.ts';
import { createToldActions } from '../../server/lifecycle/told-actions.ts';
import { newId } from '../store/proposal.ts';

const waiting: ActionFilter = { states: ['PENDING'] };

test.each<[string, ActionFilter, boolean]>([
  ['everything', {}, false],
  ['everything of a tool', { tool: 'void_ticket' }, true],
  ['what waits', waiting, false],
  ['what waits, resumed', waiting, true],
  ['what needs a person', { needsAttention: true }, false],
])('a stream of %s keeps nothing of actions that are over for it, however many there were', (_, filter, resumed) => {
  const told = createToldActions(filter, resumed);
  for (let count = 0; count < 1_000; count += 1) {
    const id = newId();
    if (count % 2 === 0) told.shown(id, 1);
    told.changed(id, 2, true);
    told.changed(id, 3, filter.states === undefined && filter.needsAttention !== true);
  }
  expect(told.size).toBe(0);
});

test('it keeps what fits, what stood in the snapshot, and what the trail does not say', () => {
  const id = newId();
  const pending = createToldActions(waiting, false);
  pending.changed(id, 1, true);
  expect(pending.of(id)).toEqual({ version: 1, fitted: true });
  const all = createToldActions({}, false);
  all.shown(id, 4);
  expect(all.of(id)).toEqual({ version: 4, fitted: true });
  const resumed = createToldActions({ needsAttention: true }, true);
  resumed.changed(id, 5, false);
  expect(resumed.of(id)).toEqual({ version: 5, fitted: false });
});
