/** Steps of workers, of requests under way, and of the endpoint. */

import { L, label } from './labels.ts';
import {
  A_APP,
  A_N,
  A_SIZE,
  at,
  attemptAt,
  E500,
  FL_BARRED,
  FL_FRESH,
  N_DONE,
  N_FLIGHT,
  N_NONE,
  N_RUNNING,
  NOANSWER,
  NOTAPPLIED,
  OK,
  OPEN,
  REFUSE,
  REFUSE_A,
  REFUSE_U,
  type Setting,
  T_AGE,
  T_FL,
  T_H,
  T_NET,
  T_PC,
  T_REC,
  W_ANSWER,
  W_CHECKED,
  W_CLAIMED,
  W_GONE,
  W_SENT,
} from './layout.ts';
import { type Draft, settle } from './moves.ts';
import { mayAge, timesApplied, used } from './reading.ts';
import type { Offer } from './steps-around.ts';

export function attemptSteps(m: Setting, cur: Uint8Array, a: number, offer: Offer): void {
  for (let i = 0; i < used(cur, a); i++) {
    clockSteps(m, cur, a, i, offer);
    workerSteps(m, cur, a, i, offer);
    requestSteps(m, cur, a, i, offer);
  }
}

function answers(s: Uint8Array, t: number, answer: number): void {
  s[t + T_PC] = W_ANSWER;
  s[t + T_H] = answer;
}

function clockSteps(m: Setting, cur: Uint8Array, a: number, i: number, offer: Offer): void {
  const t = attemptAt(a, i);
  const age = at(cur, t + T_AGE);
  if (age < 4 && mayAge(cur, a, i)) {
    offer(label(L.tick, a, i * 8 + age + 1), true, ({ s }) => {
      s[t + T_AGE] = age + 1;
    });
  }
  if (at(cur, t + T_REC) === OPEN && age >= 3) offer(label(L.lease, a, i), true, (d) => settle(m, d, a, i, NOANSWER));
  if (at(cur, t + T_PC) !== W_GONE) {
    offer(label(L.crash, a, i), false, ({ s }) => {
      s[t + T_PC] = W_GONE;
      s[t + T_H] = 0;
    });
  }
}

function workerSteps(m: Setting, cur: Uint8Array, a: number, i: number, offer: Offer): void {
  const { world, rules } = m;
  const t = attemptAt(a, i);
  const pc = at(cur, t + T_PC);
  const net = at(cur, t + T_NET);
  const age = at(cur, t + T_AGE);
  const held = at(cur, t + T_H);
  const unsent = (): void => offer(label(L.unsent, a, i), true, ({ s }) => answers(s, t, NOTAPPLIED));
  if (pc === W_CLAIMED) {
    if (age === 0 || rules.clockFrom === 'reply') {
      offer(label(L.check, a, i), true, ({ s }) => {
        s[t + T_PC] = W_CHECKED;
      });
    }
    if (age > 0) unsent();
  }
  if (pc === W_CHECKED) {
    // without the freeze, check and send are one: what was checked late (clock from the reply) is sent at once
    const late = age > 0 && !world.freezeAfterCheck && rules.clockFrom !== 'reply';
    if (late || age === 0) unsent(); // no connection
    if (!late) offer(label(L.send, a, i), true, (d) => send(m, cur, d, a, i));
  }
  if (pc === W_SENT) {
    offer(label(L.cut, a, i), true, ({ s }) => answers(s, t, NOANSWER));
    if (net === N_FLIGHT || net === N_RUNNING) {
      offer(label(L.gateway500, a, i), false, ({ s }) => answers(s, t, E500));
    }
  }
  if (pc === W_ANSWER) {
    if (held !== NOANSWER && net !== N_NONE) {
      offer(label(L.answerLost, a, i), false, ({ s }) => {
        s[t + T_H] = NOANSWER;
      });
    }
    offer(label(L.settle, a, i * 8 + held), true, (d) => {
      settle(m, d, a, i, held);
      d.s[t + T_PC] = W_GONE;
      d.s[t + T_H] = 0;
    });
    if (world.settleAckLost) offer(label(L.settleAgain, a, i * 8 + held), false, (d) => settle(m, d, a, i, held));
  }
}

function send(m: Setting, cur: Uint8Array, { s, violations }: Draft, a: number, i: number): void {
  const t = attemptAt(a, i);
  if (at(cur, t + T_NET) !== N_NONE) violations.push('I1 an attempt was sent twice');
  const another = a === 0 && m.world.actions === 2 && at(cur, A_SIZE + A_N) > 0;
  if (i < used(cur, a) - 1 || another) violations.push('I1 sent although a later claim exists');
  else if (at(cur, t + T_REC) !== OPEN) violations.push('I1 sent although the claim is no longer held');
  s[t + T_PC] = W_SENT;
  s[t + T_NET] = N_FLIGHT;
  if (m.rules.deadlineFrom === 'send' && at(cur, t + T_AGE) > 0) s[t + T_FL] = at(s, t + T_FL) | FL_FRESH;
}

function requestSteps(m: Setting, cur: Uint8Array, a: number, i: number, offer: Offer): void {
  const { world, rules } = m;
  const o = a * A_SIZE;
  const t = attemptAt(a, i);
  const net = at(cur, t + T_NET);
  const age = at(cur, t + T_AGE);
  const fresh = (at(cur, t + T_FL) & FL_FRESH) > 0;
  /** The endpoint is done with the request; the answer goes to whoever still waits. */
  const done = ({ s }: Draft, answer: number): void => {
    s[t + T_NET] = N_DONE;
    if (at(s, t + T_PC) === W_SENT) answers(s, t, answer);
  };
  const listening = at(cur, t + T_PC) === W_SENT;
  const unknown = world.refuseUnknown ? [REFUSE_U] : [];
  const handle = (): void => {
    if (world.kind !== 'C' && at(cur, o + A_APP) > 0) {
      for (const answer of listening && world.refuseUnknown ? [OK, REFUSE_A] : [OK]) {
        offer(label(L.arriveDedup, a, i * 8 + answer), true, (d) => done(d, answer));
      }
      return;
    }
    if (at(cur, o + A_APP) < 2) {
      for (const answer of listening ? [OK, E500, NOANSWER, ...unknown] : [NOANSWER]) {
        offer(label(L.arriveApply, a, i * 8 + answer), true, (d) => {
          d.s[o + A_APP] = at(d.s, o + A_APP) + 1;
          const twice = timesApplied(m, d.s) > 1 && !at(d.s, m.globals);
          if (twice) d.violations.push('I3 the effect was applied twice for one intent');
          done(d, answer);
        });
      }
    }
    for (const answer of listening ? [REFUSE, NOTAPPLIED, E500, NOANSWER, ...unknown] : [NOANSWER]) {
      offer(label(L.arriveNo, a, i * 8 + answer), true, (d) => done(d, answer));
    }
  };
  if (net === N_FLIGHT) {
    offer(label(L.lost, a, i), true, ({ s }) => {
      s[t + T_NET] = N_DONE;
    });
    const barred = (at(cur, t + T_FL) & FL_BARRED) > 0;
    const tooLate = world.kind === 'A' && age >= 4 && !fresh;
    const mayBeTooLate = world.kind === 'A' && age >= 2 && !fresh; // clocks differ by less than 30 s
    if (barred || mayBeTooLate) offer(label(L.arriveRefused, a, i), true, (d) => done(d, REFUSE));
    if (barred || tooLate) return;
    if (!world.slowHandler) handle();
    else {
      offer(label(L.accept, a, i), true, ({ s }) => {
        s[t + T_NET] = N_RUNNING;
      });
    }
  } else if (net === N_RUNNING) {
    const refuses = world.kind === 'A' && rules.vendorChecks === 'commit' && age >= 4 && !fresh;
    if (refuses) offer(label(L.arriveRefused, a, i), true, (d) => done(d, REFUSE));
    else handle();
  }
}
