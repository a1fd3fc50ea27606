/** Steps of what is on its way: confirms through DESIGN §2.2, a probe's answer, a person's decision. */

import {
  CLAIM_ACKNOWLEDGED,
  CLAIM_EXPECTS,
  CLAIM_REPEATED,
  CLAIM_REPLY_LOST,
  L,
  label,
  WORD_AGAIN,
  WORD_HEEDED,
  WORD_LANDED,
  WORD_REPLY_LOST,
} from './labels.ts';
import {
  A_EXP,
  A_SIZE,
  A_SNAP,
  A_ST,
  at,
  attemptAt,
  EXPIRED,
  effectNames,
  H_A,
  H_DEC,
  H_OLD,
  H_PC,
  H_SEEN,
  H_SIZE,
  INDETERMINATE,
  NONE,
  P_A,
  P_ANS,
  P_I,
  P_OLD,
  P_PC,
  P_SIZE,
  PENDING,
  S_A,
  S_ACK,
  S_EXP,
  S_ONCE,
  S_PC,
  S_SEEN,
  S_SIZE,
  type Setting,
  T_AGE,
} from './layout.ts';
import { type Confirm, claim, differ, mayResolve, resolve } from './moves.ts';
import { allowed, effectOf, gatePassed, timesApplied, used } from './reading.ts';
import type { Offer } from './steps-around.ts';

export function messageSteps(m: Setting, cur: Uint8Array, offer: Offer): void {
  for (let k = 0; k < 2; k++) confirmSteps(m, cur, m.slots + k * S_SIZE, offer);
  probeAnswerStep(m, cur, offer);
  decisionSteps(m, cur, offer);
}

function confirmSteps(m: Setting, cur: Uint8Array, q: number, offer: Offer): void {
  const { world } = m;
  const pc = at(cur, q + S_PC);
  const a = at(cur, q + S_A);
  const o = a * A_SIZE;
  const idle = (s: Uint8Array): void => {
    s.fill(0, q, q + S_SIZE);
  };
  if (pc === 1) arrivedSteps(m, cur, q, offer);
  else if (pc === 2) {
    const snap = at(cur, o + A_SNAP);
    const differs = (snap & 4) > 0 || timesApplied(m, cur) !== (snap & 3);
    offer(label(L.recheck, a, differs ? 1 : 0), false, ({ s }) => {
      s[q + S_PC] = differs ? 4 : 3;
    });
  } else if (pc === 3) claimSteps(m, cur, q, offer);
  else if (pc === 4 && world.precondition) {
    offer(label(L.recheckDiffers, a), false, (d) => {
      differ(m, d, a);
      idle(d.s);
    });
  }
}

function readConfirm(cur: Uint8Array, q: number): Confirm {
  return {
    acknowledged: at(cur, q + S_ACK) === 1,
    seen: at(cur, q + S_SEEN),
    expects: at(cur, q + S_EXP) === 1,
    repeated: at(cur, q + S_ONCE) === 1,
  };
}

/** A confirm arrives: steps 3 and 4 of §2.2. */
function arrivedSteps(m: Setting, cur: Uint8Array, q: number, offer: Offer): void {
  const { world, rules } = m;
  const { acknowledged, seen, expects, repeated } = readConfirm(cur, q);
  const a = at(cur, q + S_A);
  const o = a * A_SIZE;
  const state = at(cur, o + A_ST);
  const n = used(cur, a);
  const past = at(cur, o + A_EXP) === 1;
  const again = state === INDETERMINATE && acknowledged && n < allowed(m, a) && !past;
  const goesOn = (state === PENDING && !past) || again;
  const repeat = (expects && n > seen) || (repeated && rules.keyRepeat === 'answered');
  const notFound = state === EXPIRED || (state === PENDING && past);
  if (notFound && !((expects || repeated) && n > seen && rules.repeatRule === 'before-state')) {
    offer(label(L.notFound, a), true, ({ s, violations }) => {
      const effect = effectOf(cur, a);
      if (repeated && effect !== NONE) {
        violations.push(
          `I7 the repeat of a confirm that made an attempt is told NotFound (effect NONE), and the record says ${effectNames[effect]}`,
        );
      }
      s.fill(0, q, q + S_SIZE);
    });
  } else if (!goesOn || repeat) {
    offer(label(L.giveUp, a), true, ({ s }) => {
      s.fill(0, q, q + S_SIZE);
    });
  } else if (world.precondition) {
    offer(label(L.deliver, a), false, ({ s }) => {
      s[q + S_PC] = 2;
    });
  } else claimSteps(m, cur, q, offer);
}

function claimSteps(m: Setting, cur: Uint8Array, q: number, offer: Offer): void {
  const { world, rules } = m;
  const confirm = readConfirm(cur, q);
  const a = at(cur, q + S_A);
  const o = a * A_SIZE;
  const guarded = at(cur, o + A_ST) === PENDING || rules.expiryGuard === 'always';
  if (guarded && at(cur, o + A_EXP)) {
    offer(label(L.giveUp, a), true, ({ s }) => {
      s.fill(0, q, q + S_SIZE);
    });
    return;
  }
  const bits = (confirm.expects ? CLAIM_EXPECTS : 0) + (confirm.acknowledged ? CLAIM_ACKNOWLEDGED : 0);
  offer(
    label(L.claim, a, bits + (confirm.repeated ? CLAIM_REPEATED : 0)),
    false,
    (d) => {
      d.s.fill(0, q, q + S_SIZE);
      claim(m, d, a, confirm);
    },
    a,
  );
  if (!world.redeliver || confirm.repeated) return;
  // the reply gets lost and the client sends the same message once more
  offer(
    label(L.claim, a, bits + CLAIM_REPLY_LOST),
    false,
    (d) => {
      claim(m, d, a, confirm);
      d.s.fill(0, q, q + S_SIZE);
      d.s[q + S_PC] = 1;
      d.s[q + S_A] = a;
      d.s[q + S_SEEN] = confirm.seen;
      d.s[q + S_EXP] = confirm.expects ? 1 : 0;
      d.s[q + S_ACK] = confirm.acknowledged ? 1 : 0;
      d.s[q + S_ONCE] = 1;
    },
    a,
  );
}

function word(landed: boolean, heeded: boolean): number {
  return (landed ? WORD_LANDED : 0) + (heeded ? WORD_HEEDED : 0);
}

/** The probe's answer is committed, guarded by version. */
function probeAnswerStep(m: Setting, cur: Uint8Array, offer: Offer): void {
  const { rules, prober: p } = m;
  if (!at(cur, p + P_PC)) return;
  const a = at(cur, p + P_A);
  const executed = at(cur, p + P_ANS) === 1;
  const asked = attemptAt(a, at(cur, p + P_I));
  const oldNow = rules.probeGate === 'all-in-doubt' ? gatePassed(cur, a) : at(cur, asked + T_AGE) >= 4;
  const inTime = rules.probeBelieved === 'at-commit' ? oldNow : at(cur, p + P_OLD) === 1;
  const believed = executed || rules.probeFence === 'yes' || inTime;
  offer(label(L.probeCommit, a, word(executed, believed)), true, (d) => {
    d.s.fill(0, p, p + P_SIZE);
    if (believed) resolve(m, d, a, executed);
  });
}

/** The person's decision arrives. */
function decisionSteps(m: Setting, cur: Uint8Array, offer: Offer): void {
  const { world, rules, person: h } = m;
  if (!at(cur, h + H_PC)) return;
  const a = at(cur, h + H_A);
  const landed = at(cur, h + H_DEC) === 1;
  const inTime =
    rules.personGate === 'none' || (rules.personGate === 'at-commit' ? gatePassed(cur, a) : at(cur, h + H_OLD) === 1);
  const again = at(cur, h + H_PC) === 2;
  const accepted =
    mayResolve(cur, a, landed) &&
    (rules.resolveExpects === 'nothing' || at(cur, h + H_SEEN) === used(cur, a)) &&
    (landed ? !again : inTime); // after "landed" the same word again is a repeat: no attempt can be made any more
  offer(label(L.resolve, a, word(landed, accepted) + (again ? WORD_AGAIN : 0)), true, (d) => {
    if (accepted) resolve(m, d, a, landed);
    d.s.fill(0, h, h + H_SIZE);
  });
  if (world.redeliver && accepted && !again) {
    offer(label(L.resolve, a, word(landed, true) + WORD_REPLY_LOST), false, (d) => {
      resolve(m, d, a, landed);
      d.s[h + H_PC] = 2;
    });
  }
}
