/** Names of steps, and states in words: what a trace is printed with. */
import {
  A_APP,
  A_EXP,
  A_N,
  A_SIZE,
  A_ST,
  ABSENT,
  answerNames,
  at,
  effectNames,
  type Setting,
  SUCCEEDED,
  stateNames,
} from './layout.ts';
import { effectOf, hasOpen } from './reading.ts';

/** Kinds of step. */
export const L = {
  stage: 0,
  click: 1,
  deliver: 2,
  recheck: 3,
  claim: 4,
  recheckDiffers: 5,
  check: 6,
  unsent: 7,
  send: 8,
  lost: 9,
  arriveRefused: 10,
  arriveApply: 11,
  arriveDedup: 12,
  arriveNo: 13,
  accept: 14,
  cut: 15,
  gateway500: 16,
  answerLost: 17,
  settle: 18,
  settleAgain: 19,
  crash: 20,
  lease: 21,
  expire: 22,
  tick: 23,
  pastExpiry: 24,
  probeAsk: 25,
  probeCommit: 26,
  look: 27,
  resolve: 28,
  reject: 29,
  amend: 30,
  external: 31,
  giveUp: 32,
  stageHold: 33,
  stageDies: 34,
  notFound: 35,
} as const;

/** A step as a number: kind, action, argument. */
export function label(type: number, a = 0, x = 0): number {
  return (type << 6) | (a << 5) | x;
}

/** The parts of a label; `attempt` and `detail` are the two halves of an argument that has them. */
export function readLabel(code: number): { type: number; a: number; x: number; attempt: number; detail: number } {
  const x = code & 31;
  return { type: code >> 6, a: (code >> 5) & 1, x, attempt: x >> 3, detail: x & 7 };
}

/** Bits of a claim's argument. */
export const CLAIM_ACKNOWLEDGED = 1;
export const CLAIM_EXPECTS = 2;
export const CLAIM_REPEATED = 4;
export const CLAIM_REPLY_LOST = 8;

/** Bits of what a probe or a person says: that it landed; that it is heeded; and of a person, again; its reply will be lost. */
export const WORD_LANDED = 1;
export const WORD_HEEDED = 2;
export const WORD_AGAIN = 4;
export const WORD_REPLY_LOST = 8;

const ages = [
  '',
  'over 10 s since the claim',
  'the timeout and deadline pass',
  'the lease (timeout + 30 s) is over',
  'deadline + 30 s have gone',
] as const;

/** State and effect of action `a`. */
export function pairOf(s: Uint8Array, a: number): string {
  return `${stateNames[at(s, a * A_SIZE + A_ST)]}/${hasOpen(s, a) ? 'open' : effectNames[effectOf(s, a)]}`;
}

export function describeState({ world }: Setting, s: Uint8Array): string {
  const out: string[] = [];
  for (let a = 0; a < world.actions; a++) {
    const o = a * A_SIZE;
    const state = at(s, o + A_ST);
    if (state === ABSENT) continue;
    const effect = hasOpen(s, a) ? '(open)' : effectNames[effectOf(s, a)];
    const past = at(s, o + A_EXP) && state < SUCCEEDED ? ' past-expiry' : '';
    out.push(`a${a + 1} ${stateNames[state]}/${effect} used ${at(s, o + A_N)}${past} world×${at(s, o + A_APP)}`);
  }
  return out.join('; ');
}

function claimText(x: number): string {
  const again = x & CLAIM_REPEATED ? 'the same confirm arrives again: ' : '';
  const lost = x & CLAIM_REPLY_LOST ? ' (its reply will be lost, so the client repeats it)' : '';
  const expects = x & CLAIM_EXPECTS ? ' [expected_attempts]' : '';
  return `${again}claim commits${lost}${expects}${x & CLAIM_ACKNOWLEDGED ? ' [acknowledged]' : ''}`;
}

function resolveText(x: number): string {
  const again = x & WORD_AGAIN ? ' (the same request, again)' : '';
  const lost = x & WORD_REPLY_LOST ? ' (its reply is lost, so it will be repeated)' : '';
  return `Resolve${again}: ${x & WORD_LANDED ? 'landed' : 'not landed'}${x & WORD_HEEDED ? '' : ' (changes nothing)'}${lost}`;
}

/** What a step does, in words, without the action it concerns. */
const texts: Record<number, (x: number, attempt: number, detail: number) => string> = {
  [L.stage]: () => 'the same intent is staged again (new action, new key)',
  [L.click]: (x) =>
    `a person sends a confirm ${x & 2 ? 'with' : 'without'} expected_attempts${x & 1 ? ', acknowledging the doubt' : ''}`,
  [L.deliver]: () => 'a confirm passes steps 1-6',
  [L.recheck]: (x) => `its recheck reads the world: ${x ? 'differs' : 'same'}`,
  [L.claim]: claimText,
  [L.recheckDiffers]: () => 'recheck differs: committed',
  [L.check]: (x) => `worker of attempt ${x + 1} passes its 10 s check`,
  [L.unsent]: (x) => `worker of attempt ${x + 1} sends nothing (too late, or no connection)`,
  [L.send]: (x) => `worker sends attempt ${x + 1}`,
  [L.lost]: (x) => `request of attempt ${x + 1} is lost`,
  [L.arriveRefused]: (x) => `request of attempt ${x + 1} arrives after its deadline (or barred): refused`,
  [L.arriveApply]: (_, attempt, detail) => `endpoint APPLIES attempt ${attempt + 1}; answer: ${answerNames[detail]}`,
  [L.arriveDedup]: (_, attempt, detail) =>
    `request of attempt ${attempt + 1} arrives, key known: ${answerNames[detail]}`,
  [L.arriveNo]: (_, attempt, detail) =>
    `endpoint does not apply attempt ${attempt + 1}; answer: ${answerNames[detail]}`,
  [L.accept]: (x) => `endpoint accepts attempt ${x + 1} and works on it`,
  [L.cut]: (x) => `worker of attempt ${x + 1}: no answer (timeout, 504, cut)`,
  [L.gateway500]: (x) => `a gateway answers 500 for attempt ${x + 1} (the request goes on behind it)`,
  [L.answerLost]: (x) => `the answer to attempt ${x + 1} is lost`,
  [L.settle]: (_, attempt, detail) => `worker settles attempt ${attempt + 1}: ${answerNames[detail]}`,
  [L.settleAgain]: (_, attempt, detail) =>
    `worker settles attempt ${attempt + 1}: ${answerNames[detail]} (its commit's reply is lost, so it will repeat)`,
  [L.crash]: (x) => `the replica with attempt ${x + 1} dies`,
  [L.lease]: (x) => `sweeper: lease of attempt ${x + 1} over, INDETERMINATE`,
  [L.expire]: () => 'sweeper: EXPIRED',
  [L.tick]: (_, attempt, detail) => `time, attempt ${attempt + 1}: ${ages[detail]}`,
  [L.pastExpiry]: () => 'time: past expiry',
  [L.probeAsk]: (x) => `prober asks about attempt ${x + 1}`,
  [L.probeCommit]: (x) =>
    `probe answer committed: ${x & WORD_LANDED ? 'EXECUTED' : 'NOT_EXECUTED'}${x & WORD_HEEDED ? '' : ' (not believed yet)'}`,
  [L.look]: (x) => `a person looks at the business system: ${x ? 'it is there' : 'it is not there'}`,
  [L.resolve]: resolveText,
  [L.reject]: () => 'REJECTED',
  [L.amend]: () => 'Amend: action 1 SUPERSEDED, action 2 PENDING (new key)',
  [L.external]: () => 'somebody else changes the world',
  [L.stageHold]: () => 'Stage: the intent row is committed; the precondition is being read',
  [L.stageDies]: () => 'the replica dies between the intent row and the action row',
  [L.notFound]: () => 'a confirm is answered NotFound',
  [L.giveUp]: () => 'a confirm is answered and runs nothing',
};

export function describeStep({ world }: Setting, code: number): string {
  const { type, a, x, attempt, detail } = readLabel(code);
  const text = texts[type]?.(x, attempt, detail) ?? `?${code}`;
  return world.actions === 2 ? `action ${a + 1}: ${text}` : text;
}
