/** What is asked of the model: one literal rule at a time, what no rule can mend, and the rules of DESIGN §2 in wide worlds. */
import { literal, type Rules, type World } from './world.ts';

export interface Experiment {
  readonly name: string;
  /** Beside the small world. */
  readonly world: Partial<World>;
  /** Beside the mended rules. */
  readonly rules: Partial<Rules>;
  /** Beginnings of the violations that must be found; `I5` is a state that can never settle. Empty: none. */
  readonly finds: readonly string[];
  /** Some minutes and some gigabytes: only when asked for. */
  readonly wide?: true;
}

const alone = { probe: false, person: 'no', redeliver: false } as const;

/** Each but the first makes one rule literal again: the counterexample is the fault of that one rule. */
export const holes: readonly Experiment[] = [
  {
    name: 'all the rules as first read',
    world: { attempts: 1 },
    rules: literal,
    finds: ['I1 ', 'I4 effect NONE, and it was applied'],
  },
  {
    name: 'amending in doubt: a new key is claimed while the old one may have done it',
    world: { ...alone, actions: 2, attempts: 2, attemptsSecond: 1, amend: true },
    rules: { amendInDoubt: 'allowed' },
    finds: ['I6 '],
  },
  {
    name: 'a probe asked before a delayed request can land, and believed later',
    world: { person: 'no' },
    rules: { probeBelieved: 'at-commit' },
    finds: ['I4 effect NONE, and it was applied'],
  },
  {
    name: 'a probe about one attempt that clears the doubt of another',
    world: { person: 'no' },
    rules: { probeGate: 'attempt-asked' },
    finds: ['I4 effect NONE, and a delayed request can still apply it'],
  },
  {
    name: 'a person who says "not landed" too early',
    world: { probe: false, attempts: 1 },
    rules: { personGate: 'none' },
    finds: ['I4 effect NONE, and it was applied'],
  },
  {
    name: 'a person who looked too early, and says so late',
    world: { probe: false, attempts: 1 },
    rules: { personGate: 'at-commit' },
    finds: ['I4 effect NONE, and it was applied'],
  },
  {
    name: "a person's old word that clears a newer attempt's doubt",
    world: { probe: false },
    rules: { resolveExpects: 'nothing' },
    finds: ['I4 effect NONE, and it was applied'],
  },
  {
    name: "a clock that starts when the claim's reply is read",
    world: alone,
    rules: { clockFrom: 'reply' },
    finds: ['I1 sent although the claim is no longer held', 'I1 sent although a later claim exists'],
  },
  {
    name: 'a deadline counted from a late send',
    world: { attempts: 1, person: 'no', freezeAfterCheck: true },
    rules: { deadlineFrom: 'send' },
    finds: ['I4 effect NONE, and it was applied'],
  },
  {
    name: 'a vendor who looks at the deadline on arrival and writes later',
    world: { attempts: 1, person: 'no', slowHandler: true },
    rules: { vendorChecks: 'arrival' },
    finds: ['I4 effect NONE, and it was applied'],
  },
  {
    name: "an older attempt's late refusal that settles",
    world: alone,
    rules: { lateMoves: 'any-attempt' },
    finds: ['I12 '],
  },
  {
    name: 'silence that hides the success of another attempt',
    world: alone,
    rules: { noAnswerAfterApplied: 'indeterminate' },
    finds: ['I8 '],
  },
  {
    name: 'one confirm, delivered twice under its key, that claims twice',
    world: { ...alone, redeliver: true },
    rules: { keyRepeat: 'claims-again', bareConfirm: 'yes' },
    finds: ['I2b '],
  },
  {
    name: 'an expiry that guards the first claim only',
    world: { ...alone, precondition: true },
    rules: { expiryGuard: 'pending-only' },
    finds: ['I9 '],
  },
  {
    name: 'two bare double taps, the first of which fails fast',
    world: { ...alone, approvers: 2 },
    rules: { bareConfirm: 'yes' },
    finds: ['I2c '],
  },
  {
    name: 'the repeat of an answered confirm is told NotFound',
    world: { ...alone, redeliver: true },
    rules: { repeatRule: 'after-state' },
    finds: ['I7 '],
  },
  {
    name: 'an intent committed before its action',
    world: { actions: 2, attempts: 1, restage: true, probe: false, redeliver: false },
    rules: { stageIntent: 'before-read' },
    finds: ['I5'],
  },
  {
    name: 'a release while an unanswered attempt is in doubt',
    world: { ...alone, attempts: 3 },
    rules: { releaseInDoubt: 'pending' },
    finds: ['I10 '],
    wide: true,
  },
  {
    name: "late answers of the newest attempt only: stuck when an older one's clears the last doubt",
    world: { attempts: 3, redeliver: false, person: 'no' },
    rules: { lateMoves: 'latest-only' },
    finds: ['I5'],
    wide: true,
  },
];

/** What no rule of ours can mend, and must be said. */
export const limits: readonly Experiment[] = [
  {
    name: 'a freeze between the last check and the send: only the deadline that the vendor keeps catches it',
    world: { attempts: 1, person: 'no', freezeAfterCheck: true },
    rules: {},
    finds: ['I1 sent although the claim is no longer held'],
  },
  {
    name: 'a vendor who ignores deadlines and gives no fence: a "not landed" can become false',
    world: { kind: 'B', attempts: 1, person: 'no' },
    rules: {},
    finds: ['I4 effect NONE, and it was applied'],
  },
  {
    name: 'a vendor who does not deduplicate: any attempt after a doubt can double',
    world: { kind: 'C', probe: false, person: 'knows', redeliver: false },
    rules: {},
    finds: ['I3 '],
  },
];

/** The rules as they are: nothing is found, and everything can settle. */
export const proofs: readonly Experiment[] = [
  { name: 'a prober', world: { person: 'no' }, rules: {}, finds: [] },
  {
    name: 'a vendor with a fence',
    world: { kind: 'B', attempts: 1, person: 'no', slowHandler: true },
    rules: { probeFence: 'yes' },
    finds: [],
  },
  {
    name: 'two actions, one attempt each',
    world: { actions: 2, attempts: 1, amend: true, restage: true, reject: true, probe: false, person: 'sees' },
    rules: {},
    finds: [],
  },
  {
    name: 'everybody',
    world: {
      approvers: 2,
      precondition: true,
      reject: true,
      settleAckLost: true,
      refuseUnknown: true,
      redeliver: false,
    },
    rules: {},
    finds: [],
    wide: true,
  },
  {
    name: 'redelivery and a precondition',
    world: { precondition: true, reject: true, settleAckLost: true },
    rules: {},
    finds: [],
    wide: true,
  },
  { name: 'two approvers and redelivery', world: { approvers: 2, reject: true }, rules: {}, finds: [], wide: true },
  {
    name: 'slow handler, repeated settlement, refusal in doubt',
    world: { slowHandler: true, settleAckLost: true, refuseUnknown: true },
    rules: {},
    finds: [],
    wide: true,
  },
  {
    name: 'three attempts and a prober',
    world: { attempts: 3, person: 'no', redeliver: false },
    rules: {},
    finds: [],
    wide: true,
  },
  {
    name: 'three attempts and a person',
    world: { attempts: 3, probe: false, redeliver: false },
    rules: {},
    finds: [],
    wide: true,
  },
  {
    name: 'two actions, everybody',
    world: { actions: 2, attempts: 1, amend: true, restage: true, reject: true, precondition: true },
    rules: {},
    finds: [],
    wide: true,
  },
  {
    name: 'two actions, two attempts and one',
    world: {
      actions: 2,
      attempts: 2,
      attemptsSecond: 1,
      amend: true,
      restage: true,
      reject: true,
      probe: false,
      redeliver: false,
    },
    rules: {},
    finds: [],
    wide: true,
  },
  {
    name: 'a vendor without deadlines, and a person who knows',
    world: { kind: 'B', probe: false, person: 'knows', reject: true, precondition: true, settleAckLost: true },
    rules: {},
    finds: [],
    wide: true,
  },
];
