/** The steps of the model, made to happen on the real thing. */
import type { ActionId } from '../../server/domain/action.ts';
import { CallError } from '../../server/domain/error.ts';
import { L, readLabel } from '../model/labels.ts';
import { at, attemptAt, E500, NOANSWER, REFUSE, S_ACK, S_SEEN, S_SIZE, T_AGE, T_PC, W_SENT } from '../model/layout.ts';
import { lifeOf } from '../model/life.ts';
import type { Step } from '../model/model.ts';
import { type Moment, passExpiry, passMoment } from './backdate.ts';
import { confirm } from './play.ts';
import type { Replica } from './replica.ts';
import { agent, patient, type Setting, stageInput } from './setting.ts';
import { shapeOf, type Told, toldOf } from './walk-answers.ts';
import { truthful } from './walk-checks.ts';
import { startWorker, type Worker } from './worker.ts';

/** A walk under way. */
export interface Playing {
  readonly setting: Setting;
  /** By the model's number of the action. */
  readonly ids: ActionId[];
  /** By action and attempt, both from 0. */
  readonly workers: Map<string, Worker>;
  /** A process that does no attempts. */
  readonly reader: Replica;
  readonly ticket: string;
  /** Where the approvers' slots lie in a state. */
  readonly slots: number;
}

/** The last moment that has passed, by the age of an attempt. */
const moments: readonly (Moment | undefined)[] = [undefined, 'ten seconds', 'deadline', 'lease', undefined];

/** Makes one step of the model happen. */
export async function play(playing: Playing, before: Uint8Array, step: Step, variety: number): Promise<void> {
  const { setting, ids, workers, reader } = playing;
  const { type, a, x, attempt, detail } = readLabel(step.label);
  if (type === L.stage) return stageAgain(playing);
  const id = idOf(ids, a);
  /** Of steps whose argument is the attempt. */
  const worker = (i = x): Worker => {
    const found = workers.get(`${a}:${i}`);
    if (found === undefined) throw new Error(`attempt ${i + 1} has no worker`);
    return found;
  };
  const listens = (i: number): boolean => at(before, attemptAt(a, i) + T_PC) === W_SENT;
  switch (type) {
    case L.claim:
      return claim(playing, before, step, a);
    case L.giveUp:
    case L.notFound:
      return runNothing(playing, before, step, a);
    case L.send:
      return worker().send();
    case L.unsent:
      if (at(before, attemptAt(a, x) + T_AGE) === 0) worker().replica.unplug();
      return;
    case L.cut:
    case L.answerLost:
      worker().plan(shapeOf(NOANSWER, variety));
      return;
    case L.gateway500:
      worker().plan(shapeOf(E500, variety));
      return;
    case L.arriveRefused:
      if (listens(x)) worker().plan(shapeOf(REFUSE, variety));
      return;
    case L.arriveApply:
    case L.arriveDedup:
    case L.arriveNo:
      if (listens(attempt)) worker(attempt).plan(shapeOf(detail, variety));
      return;
    case L.settle:
      return truthful(await worker(attempt).settle(), lifeOf(step.next, a), attempt);
    case L.settleAgain:
      return worker(attempt).settleUnheard();
    case L.crash:
      await worker().replica.die();
      return;
    case L.lease:
      reader.sweepOnly(id);
      return expectOne(await reader.lifecycle.sweeps.orphans(), 'orphan');
    case L.expire:
      reader.sweepOnly(id);
      return expectOne(await reader.lifecycle.sweeps.expire(), 'overdue action');
    case L.tick: {
      const moment = moments[detail];
      if (detail === 1) workers.get(`${a}:${attempt}`)?.replica.freeze(10_001, [variety % 2 ? 'wall' : 'monotonic']);
      if (moment !== undefined) await passMoment(setting.database, id, attempt + 1, moment);
      return;
    }
    case L.pastExpiry:
      return passExpiry(setting.database, id);
    case L.click:
    case L.check:
    case L.lost:
    case L.accept:
      return;
    default:
      throw new Error(`no way to play ${type}`);
  }
}

/** The same wish, once nobody holds it any more. */
async function stageAgain({ ids, reader, ticket }: Playing): Promise<void> {
  const staged = await reader.lifecycle.stage(agent, stageInput(ticket), patient);
  if (staged.idempotentReplay) throw new Error('an intent that nobody holds made no new action');
  ids.push(staged.action.id);
}

function idOf(ids: readonly ActionId[], a: number): ActionId {
  const id = ids[a];
  if (id === undefined) throw new Error(`action ${a + 1} is not staged`);
  return id;
}

function expectOne(count: number, what: string): void {
  if (count !== 1) throw new Error(`the sweep settled ${count} instead of one ${what}`);
}

/** The message that a step takes from the approvers' slots. */
function messageOf({ slots }: Playing, before: Uint8Array, after: Uint8Array): { seen: number; acknowledged: boolean } {
  const slotsOf = (s: Uint8Array): Uint8Array[] => [0, S_SIZE].map((k) => s.slice(slots + k, slots + k + S_SIZE));
  const left = slotsOf(after).map(String);
  for (const slot of slotsOf(before)) {
    const still = left.indexOf(String(slot));
    if (still < 0) return { seen: at(slot, S_SEEN), acknowledged: at(slot, S_ACK) === 1 };
    left.splice(still, 1);
  }
  throw new Error('the step takes no message');
}

async function claim(playing: Playing, before: Uint8Array, { next }: Step, a: number): Promise<void> {
  const { setting, ids, workers } = playing;
  const { seen, acknowledged } = messageOf(playing, before, next);
  const id = idOf(ids, a);
  const started = await startWorker(setting.replica(), id, inputOf(id, seen, acknowledged));
  if (!('worker' in started)) throw new Error(`the claim was not made: ${started.told.status}`);
  workers.set(`${a}:${seen}`, started.worker);
}

async function runNothing(playing: Playing, before: Uint8Array, step: Step, a: number): Promise<void> {
  const { ids, reader } = playing;
  const { seen, acknowledged } = messageOf(playing, before, step.next);
  const id = idOf(ids, a);
  const told: Told = await confirm(reader, id, inputOf(id, seen, acknowledged)).then(
    ({ status }) => status,
    (error: unknown) => {
      if (error instanceof CallError) return error.code;
      throw error;
    },
  );
  const expected = toldOf(lifeOf(before, a), seen);
  if (told !== expected) throw new Error(`a confirm that runs nothing is told ${told}, and not ${expected}`);
}

/** Every client that we ship says how many attempts it saw; every other one has a key. */
function inputOf(id: ActionId, seen: number, acknowledgeIndeterminate: boolean) {
  const idempotencyKey = seen % 2 === 0 ? `${id}-${seen}` : '';
  return { expectedAttempts: seen, acknowledgeIndeterminate, idempotencyKey };
}
