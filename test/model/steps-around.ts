/** Steps of time, sweepers, people who end an action, probers, people who look, and approvers who decide. */

import { L, label } from './labels.ts';
import {
  A_APP,
  A_EXP,
  A_SIZE,
  A_SNAP,
  A_ST,
  ABSENT,
  at,
  attemptAt,
  EXECUTING,
  EXPIRED,
  FL_BARRED,
  H_A,
  H_DEC,
  H_OLD,
  H_PC,
  H_SEEN,
  INDETERMINATE,
  N_RUNNING,
  P_A,
  P_ANS,
  P_I,
  P_OLD,
  P_PC,
  PENDING,
  REJECTED,
  S_A,
  S_ACK,
  S_EXP,
  S_PC,
  S_SEEN,
  S_SIZE,
  type Setting,
  SUPERSEDED,
  T_AGE,
  T_EFF,
  T_FL,
  T_NET,
  UNKNOWN,
} from './layout.ts';
import { bump, type Draft, mayAmend, mayResolve, setState } from './moves.ts';
import { anyCanStill, gatePassed, holds, inDoubt, timesApplied, used } from './reading.ts';

/** Offers a step; `fair` steps happen sooner or later if they stay possible; `claims` names the action it claims. */
export type Offer = (label: number, fair: boolean, change: (draft: Draft) => void, claims?: number) => void;

/** The clock passes the expiry; somebody else changes the world; the sweeper expires. */
export function timeSteps(m: Setting, cur: Uint8Array, a: number, offer: Offer): void {
  const o = a * A_SIZE;
  const state = at(cur, o + A_ST);
  if (!at(cur, o + A_EXP)) {
    offer(label(L.pastExpiry, a), true, ({ s }) => {
      s[o + A_EXP] = 1;
    });
  }
  const waits = state === PENDING || state === INDETERMINATE;
  if (m.world.precondition && !(at(cur, o + A_SNAP) & 4) && waits) {
    offer(label(L.external, a), false, ({ s }) => {
      s[o + A_SNAP] = at(s, o + A_SNAP) | 4;
    });
  }
  if (state === PENDING && at(cur, o + A_EXP)) {
    offer(label(L.expire, a), true, (d) => {
      setState(d, a, EXPIRED);
      bump(m, d, a);
    });
  }
}

/** Reject, amend, and staging the same intent again. */
export function endingSteps(m: Setting, cur: Uint8Array, a: number, offer: Offer): void {
  const { world, rules, globals } = m;
  const o = a * A_SIZE;
  const state = at(cur, o + A_ST);
  const secondIsFree = a === 0 && world.actions === 2 && at(cur, A_SIZE + A_ST) === ABSENT;
  const insert = (d: Draft): void => {
    setState(d, 1, PENDING);
    d.s[A_SIZE + A_SNAP] = timesApplied(m, d.s);
  };
  if (world.reject && state === PENDING) {
    offer(label(L.reject, a), false, (d) => {
      setState(d, a, REJECTED);
      bump(m, d, a);
    });
  }
  if (world.amend && secondIsFree && mayAmend(m, cur, a)) {
    offer(label(L.amend, a), false, (d) => {
      setState(d, a, SUPERSEDED);
      bump(m, d, a);
      insert(d);
    });
  }
  if (world.restage && secondIsFree && !holds(cur, 0)) {
    // the declared window may be over, or none was declared; the effect is recorded as known
    const stager = at(cur, globals + 1);
    if (rules.stageIntent === 'with-row' || stager === 1) {
      offer(label(L.stage, 1), false, (d) => {
        insert(d);
        d.s[globals] = 1;
        d.s[globals + 1] = 0;
      });
    } else if (stager === 0) {
      offer(label(L.stageHold, 1), false, ({ s }) => {
        s[globals + 1] = 1;
      });
    }
    if (stager === 1) {
      offer(label(L.stageDies, 1), false, ({ s }) => {
        s[globals + 1] = 2;
      });
    }
  }
}

/** A prober asks about an attempt in doubt. */
export function probeSteps(m: Setting, cur: Uint8Array, a: number, offer: Offer): void {
  const { world, rules, prober: p } = m;
  const o = a * A_SIZE;
  const n = used(cur, a);
  const asks = world.probe && world.kind !== 'C' && inDoubt(cur, a);
  if (!asks || at(cur, o + A_ST) === EXECUTING || at(cur, p + P_PC)) return;
  for (let i = 0; i < n; i++) {
    const t = attemptAt(a, i);
    if (at(cur, t + T_EFF) !== UNKNOWN) continue;
    let running = false;
    for (let j = 0; j < n; j++) running ||= at(cur, attemptAt(a, j) + T_NET) === N_RUNNING;
    if (running && at(cur, o + A_APP) === 0 && rules.probeFence === 'yes') continue; // IN_PROGRESS: ask again later
    offer(label(L.probeAsk, a, i), true, ({ s }) => {
      const executed = at(s, o + A_APP) > 0;
      const old = rules.probeGate === 'all-in-doubt' ? gatePassed(s, a) : at(s, t + T_AGE) >= 4;
      s[p + P_PC] = 1;
      s[p + P_A] = a;
      s[p + P_I] = i;
      s[p + P_ANS] = executed ? 1 : 2;
      s[p + P_OLD] = old ? 1 : 0;
      if (executed || rules.probeFence === 'no') return;
      for (let j = 0; j < n; j++) s[attemptAt(a, j) + T_FL] = at(s, attemptAt(a, j) + T_FL) | FL_BARRED;
    });
  }
}

/** A person looks at the business system. */
export function lookSteps(m: Setting, cur: Uint8Array, a: number, offer: Offer): void {
  const { world, person: h } = m;
  const o = a * A_SIZE;
  const landed = at(cur, o + A_APP) > 0;
  if (world.person === 'no' || !mayResolve(cur, a, landed) || at(cur, h + H_PC)) return;
  if (!landed && world.person === 'knows' && anyCanStill(m, cur, a)) return;
  offer(label(L.look, a, landed ? 1 : 0), true, ({ s }) => {
    s[h + H_PC] = 1;
    s[h + H_A] = a;
    s[h + H_DEC] = landed ? 1 : 2;
    s[h + H_SEEN] = used(s, a);
    s[h + H_OLD] = gatePassed(s, a) ? 1 : 0;
  });
}

/** An approver sends a confirm. One in doubt is refused at once unless acknowledged, so only acknowledged ones are sent. */
export function approverSteps(m: Setting, cur: Uint8Array, a: number, offer: Offer): void {
  const state = at(cur, a * A_SIZE + A_ST);
  if (state !== PENDING && state !== INDETERMINATE) return;
  for (let k = 0; k < m.world.approvers; k++) {
    const q = m.slots + k * S_SIZE;
    if (at(cur, q + S_PC)) continue;
    const acknowledges = state === INDETERMINATE ? 1 : 0;
    for (const expects of m.rules.bareConfirm === 'yes' ? [0, 1] : [1]) {
      offer(label(L.click, a, expects * 2 + acknowledges), false, ({ s }) => {
        s[q + S_PC] = 1;
        s[q + S_A] = a;
        s[q + S_SEEN] = used(s, a);
        s[q + S_EXP] = expects;
        s[q + S_ACK] = acknowledges;
      });
    }
    break; // slots are interchangeable
  }
}
