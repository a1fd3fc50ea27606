/** The steps of the model, made to happen on the real thing. */
import { L, readLabel, WORD_HEEDED } from '../model/labels.ts';
import { at, attemptAt, E500, NOANSWER, REFUSE, T_AGE, T_PC, W_SENT } from '../model/layout.ts';
import { lifeOf } from '../model/life.ts';
import type { Step } from '../model/model.ts';
import { type Moment, passExpiry, passMoment } from './backdate.ts';
import { idOf, type Playing } from './playing.ts';
import { shapeOf } from './walk-answers.ts';
import { truthful } from './walk-checks.ts';
import { claim, deliver, recheck, recheckDiffers, runNothing } from './walk-confirms.ts';
import { amend, answerQuestion, ask, reject, say, stageAgain } from './walk-people.ts';
import type { Worker } from './worker.ts';

/** The last moment that has passed, by the age of an attempt. */
const moments: readonly (Moment | undefined)[] = [undefined, 'ten seconds', 'deadline', 'lease', undefined];

/** Makes one step of the model happen. */
export async function play(playing: Playing, before: Uint8Array, step: Step, variety: number): Promise<void> {
  const { setting, workers, reader } = playing;
  const { next } = step;
  const { type, a, x, attempt, detail } = readLabel(step.label);
  /** Of steps whose argument is the attempt. */
  const worker = (i = x): Worker => {
    const found = workers.get(`${a}:${i}`);
    if (found === undefined) throw new Error(`attempt ${i + 1} has no worker`);
    return found;
  };
  const listens = (i: number): boolean => at(before, attemptAt(a, i) + T_PC) === W_SENT;
  switch (type) {
    case L.stage:
      return stageAgain(playing, before);
    case L.amend:
      return amend(playing, before, a, variety);
    case L.reject:
      return reject(playing, a);
    case L.deliver:
      return deliver(playing, before, next);
    case L.recheck:
      return recheck(playing, before, next, a, x === 1);
    case L.recheckDiffers:
      return recheckDiffers(playing, before, next, a);
    case L.claim:
      return claim(playing, before, next, a, x);
    case L.giveUp:
    case L.notFound:
      return runNothing(playing, before, next, a);
    case L.probeAsk:
      return ask(playing, a, variety);
    case L.probeCommit:
      return answerQuestion(playing, before, (x & WORD_HEEDED) > 0);
    case L.look:
      playing.looks += 1;
      return;
    case L.resolve:
      return say(playing, before, a, x);
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
      return truthful(await worker(attempt).settle(), lifeOf(next, a), attempt);
    case L.settleAgain:
      return worker(attempt).settleUnheard();
    case L.crash:
      await worker().replica.die();
      return;
    case L.lease:
      reader.sweepOnly(idOf(playing, a));
      return expectOne(await reader.lifecycle.sweeps.orphans(), 'orphan');
    case L.expire:
      reader.sweepOnly(idOf(playing, a));
      return expectOne(await reader.lifecycle.sweeps.expire(), 'overdue action');
    case L.tick: {
      const moment = moments[detail];
      if (detail === 1) workers.get(`${a}:${attempt}`)?.replica.freeze(10_001, [variety % 2 ? 'wall' : 'monotonic']);
      if (moment !== undefined) await passMoment(setting.database, idOf(playing, a), attempt + 1, moment);
      return;
    }
    case L.pastExpiry:
      return passExpiry(setting.database, idOf(playing, a));
    case L.click:
    case L.check:
    case L.lost:
    case L.accept:
    case L.external:
      return;
    default:
      throw new Error(`no way to play ${type}`);
  }
}

function expectOne(count: number, what: string): void {
  if (count !== 1) throw new Error(`the sweep settled ${count} instead of one ${what}`);
}
