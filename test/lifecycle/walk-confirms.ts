/** The steps of confirms, from their delivery to their claim or to the answer that nothing ran. */
import { CLAIM_ACKNOWLEDGED, CLAIM_REPEATED } from '../model/labels.ts';
import {
  A_SIZE,
  A_SNAP,
  A_ST,
  at,
  INDETERMINATE,
  type Setting as ModelSetting,
  S_A,
  S_ACK,
  S_ONCE,
  S_PC,
  S_SEEN,
  S_SIZE,
} from '../model/layout.ts';
import { lifeOf } from '../model/life.ts';
import { timesApplied } from '../model/reading.ts';
import { comesTo, endsUnclaimed, type Message, sendConfirm, tellsOf } from './message.ts';
import { confirm } from './play.ts';
import { idOf, type Playing } from './playing.ts';
import { type Told, toldOf } from './walk-answers.ts';
import { workerOf } from './worker.ts';

/** Where a confirm stands in the model: on its way, through its checks, with the world as it was, or with another. */
const sent = 1;
const delivered = 2;
const holds = 3;
const differs = 4;

function slotsOf({ slots }: ModelSetting, s: Uint8Array): Uint8Array[] {
  return [0, S_SIZE].map((k) => s.slice(slots + k, slots + k + S_SIZE));
}

/** The slot of the confirm that a step is about: one that is not there any more after it. */
function takenSlot(
  { model }: Playing,
  before: Uint8Array,
  after: Uint8Array,
  wanted: (slot: Uint8Array) => boolean,
): Uint8Array {
  const left = slotsOf(model, after).map(String);
  for (const slot of slotsOf(model, before)) {
    const still = left.indexOf(String(slot));
    if (still >= 0) left.splice(still, 1);
    else if (at(slot, S_PC) > 0 && wanted(slot)) return slot;
  }
  throw new Error('the step takes no message');
}

function moved(slot: Uint8Array, pc: number): Uint8Array {
  const to = slot.slice();
  to[S_PC] = pc;
  return to;
}

function put({ messages }: Playing, slot: Uint8Array, message: Message): void {
  messages.set(String(slot), [...(messages.get(String(slot)) ?? []), message]);
}

/** Two confirms in the same slot are interchangeable. */
function take({ messages }: Playing, slot: Uint8Array): Message {
  const [message, ...rest] = messages.get(String(slot)) ?? [];
  if (message === undefined) throw new Error(`no confirm stands at ${slot}`);
  messages.set(String(slot), rest);
  return message;
}

/** Every client that we ship says how many attempts it saw; every other one has a key. */
function inputOf(playing: Playing, slot: Uint8Array) {
  const id = idOf(playing, at(slot, S_A));
  const seen = at(slot, S_SEEN);
  const input = { expectedAttempts: seen, acknowledgeIndeterminate: at(slot, S_ACK) === 1 };
  return [id, { ...input, idempotencyKey: seen % 2 === 0 ? `${id}-${seen}` : '' }] as const;
}

/** It passes its checks, and is about to ask how the world is. */
export async function deliver(playing: Playing, before: Uint8Array, after: Uint8Array): Promise<void> {
  const slot = takenSlot(playing, before, after, (each) => at(each, S_PC) === sent);
  const message = sendConfirm(playing.replica(), ...inputOf(playing, slot));
  await comesTo(message, message.beforeRead);
  put(playing, moved(slot, delivered), message);
}

/** The read answers; what comes of it is still to be written. */
export async function recheck(
  playing: Playing,
  before: Uint8Array,
  after: Uint8Array,
  a: number,
  changed: boolean,
): Promise<void> {
  const slot = takenSlot(playing, before, after, (each) => at(each, S_PC) === delivered && at(each, S_A) === a);
  const byOthers = (at(before, a * A_SIZE + A_SNAP) & 4) > 0;
  playing.world = worldOf(timesApplied(playing.model, before), byOthers);
  const message = take(playing, slot);
  message.beforeRead.pass();
  await comesTo(message, message.afterRead);
  put(playing, moved(slot, changed ? differs : holds), message);
}

/** What the read of a ticket answers: how often it was voided, and whether others changed it. */
export function worldOf(voids: number, changed = false): string {
  return JSON.stringify({ voids, others: changed });
}

export async function recheckDiffers(
  playing: Playing,
  before: Uint8Array,
  after: Uint8Array,
  a: number,
): Promise<void> {
  const slot = takenSlot(playing, before, after, (each) => at(each, S_PC) === differs && at(each, S_A) === a);
  const state = at(before, a * A_SIZE + A_ST);
  const expected = state === INDETERMINATE ? 'OUTCOME_INDETERMINATE' : lifeOf(after, a).state;
  expectTold(await endsUnclaimed(take(playing, slot)), expected);
}

export async function claim(
  playing: Playing,
  before: Uint8Array,
  after: Uint8Array,
  a: number,
  x: number,
): Promise<void> {
  const [acknowledged, repeated] = [x & CLAIM_ACKNOWLEDGED ? 1 : 0, x & CLAIM_REPEATED ? 1 : 0];
  const slot = takenSlot(playing, before, after, (each) => {
    const claims = at(each, S_PC) === (playing.model.world.precondition ? holds : sent);
    return claims && at(each, S_A) === a && at(each, S_ACK) === acknowledged && at(each, S_ONCE) === repeated;
  });
  const fresh = at(slot, S_PC) === sent;
  const message = fresh ? sendConfirm(playing.replica(), ...inputOf(playing, slot)) : take(playing, slot);
  message.afterRead.pass();
  playing.workers.set(`${a}:${at(slot, S_SEEN)}`, await workerOf(message));
}

/** A confirm that runs nothing is told what the record says. */
export async function runNothing(playing: Playing, before: Uint8Array, after: Uint8Array, a: number): Promise<void> {
  const slot = takenSlot(playing, before, after, (each) => at(each, S_A) === a);
  const told =
    at(slot, S_PC) === sent
      ? tellsOf(confirm(playing.reader, ...inputOf(playing, slot)))
      : endsUnclaimed(take(playing, slot));
  expectTold(await told, toldOf(lifeOf(before, a), at(slot, S_SEEN)));
}

function expectTold(told: Told, expected: Told): void {
  if (told !== expected) throw new Error(`a confirm that runs nothing is told ${told}, and not ${expected}`);
}

/** Confirms that have lost to another transition go on to their end: they claim nothing and write nothing. */
export async function letLosersEnd(playing: Playing, after: Uint8Array): Promise<void> {
  const left = slotsOf(playing.model, after).map(String);
  for (const [slot, standing] of playing.messages) {
    const stay = left.filter((each) => each === slot).length;
    playing.messages.set(slot, standing.slice(0, stay));
    for (const message of standing.slice(stay)) await endsUnclaimed(message);
  }
}
