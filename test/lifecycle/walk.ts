/**
 * Walks of the model, played on the real thing. After every step the record must say what the model says, and what can be
 * seen from outside must be in order: no attempt sent twice, no terminal state left, no row without its event.
 */
import { randomUUID } from 'node:crypto';
import type { ActionId, State } from '../../server/domain/action.ts';
import { describeState, describeStep, L, readLabel } from '../model/labels.ts';
import { A_APP, A_EXP, A_SIZE, at, attemptAt, T_AGE, T_EFF, UNKNOWN } from '../model/layout.ts';
import { createModel, type Model, type Step } from '../model/model.ts';
import { used } from '../model/reading.ts';
import { mended, type World } from '../model/world.ts';
import { answers } from '../support/endpoint.ts';
import type { Playing } from './playing.ts';
import type { Replica } from './replica.ts';
import type { Setting } from './setting.ts';
import { compare, stageWhatIsHeld } from './walk-checks.ts';
import { letLosersEnd, worldOf } from './walk-confirms.ts';
import { letQuestionEnd, tryWhatIsRefused } from './walk-people.ts';
import { play } from './walk-steps.ts';

/** Chooses a step: among the kinds that are possible, then among those of the kind. */
export interface Pick {
  readonly kind: number;
  readonly which: number;
}

/** Kinds of step, the most telling first, so that smaller picks are simpler walks; the number is how often it is chosen. */
const kinds: readonly (readonly [number, number])[] = [
  [L.click, 20],
  [L.deliver, 40],
  [L.recheck, 40],
  [L.claim, 50],
  [L.check, 60],
  [L.send, 60],
  [L.arriveApply, 20],
  [L.arriveNo, 16],
  [L.settle, 16],
  [L.gateway500, 6],
  [L.cut, 8],
  [L.arriveDedup, 24],
  [L.arriveRefused, 20],
  [L.lease, 24],
  [L.tick, 16],
  [L.probeAsk, 16],
  [L.probeCommit, 6],
  [L.look, 20],
  [L.resolve, 6],
  [L.recheckDiffers, 12],
  [L.external, 1],
  [L.amend, 3],
  [L.reject, 1],
  [L.settleAgain, 6],
  [L.answerLost, 6],
  [L.unsent, 6],
  [L.giveUp, 8],
  [L.notFound, 12],
  [L.lost, 4],
  [L.accept, 40],
  [L.crash, 4],
  [L.stage, 24],
  [L.expire, 16],
  [L.pastExpiry, 1],
];

/** Plays the picks; rejects with the walk so far as soon as anything is not as the model says. */
export async function walk(setting: Setting, world: World, picks: readonly Pick[]): Promise<void> {
  const model = createModel(mended, world, { keepRecords: true });
  const told: string[] = [];
  const reached = new Map<ActionId, State>();
  const replicas: Replica[] = [];
  const playing = await begin(setting, model, replicas);
  let state = model.initial();
  try {
    for (const [index, pick] of picks.entries()) {
      const step = choose(successors(model, state, playing), pick);
      if (step === undefined) break;
      told.push(`${describeStep(model.setting, step.label)}   {${describeState(model.setting, step.next)}}`);
      await play(playing, state, step, index);
      await letLosersEnd(playing, step.next);
      await letQuestionEnd(playing, state, step.next);
      state = step.next;
      await compare(setting, playing.ids, state, reached);
      if (index % 4 === 0) await stageWhatIsHeld(playing, state);
      if (index % 4 === 2) await tryWhatIsRefused(playing, state, index % playing.ids.length);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${reason}\n  ${told.map((line, k) => `${k + 1}. ${line}`).join('\n  ')}`, { cause: error });
  } finally {
    playing.question?.answer(answers.probed('UNKNOWN'));
    await Promise.all(replicas.map((each) => each.die()));
    // What this walk left open is not swept in the next one, where a sweep takes the longest overdue first.
    const forget = 'update action set sweep_at = null, next_probe_at = null where id = any($1)';
    await setting.database.query(forget, [playing.ids]);
  }
}

async function begin(setting: Setting, { setting: model }: Model, replicas: Replica[]): Promise<Playing> {
  const { precondition, probe } = model.world;
  const replica = (): Replica => {
    const made = setting.replica();
    replicas.push(made);
    return made;
  };
  const playing: Playing = {
    setting,
    model,
    tool: precondition ? 'void_ticket_checked' : probe ? 'void_ticket_probed' : 'void_ticket',
    ids: [],
    proposed: [],
    workers: new Map(),
    messages: new Map(),
    replica,
    reader: replica(),
    world: worldOf(0),
    question: undefined,
    looks: 0,
  };
  setting.endpoint.answer((call) => {
    if (!call.isWrite) return answers.result(playing.world);
    const worker = playing.workers.get(`${playing.ids.indexOf(call.actionId as ActionId)}:${call.attempt - 1}`);
    if (worker === undefined) throw new Error('a call that nobody made');
    return worker.called(call);
  });
  const ticket = randomUUID();
  const { id, arguments: proposed } = await setting.stage(playing.reader, ticket, { tool: playing.tool });
  playing.ids.push(id);
  playing.proposed.push(proposed);
  return playing;
}

function successors(model: Model, state: Uint8Array, playing: Playing): Step[] {
  const steps: Step[] = [];
  model.successors(state, (step) => {
    if (isPlayable(step, state, playing)) steps.push(step);
  });
  return steps;
}

/** Where the real thing knows more than the model, the model's step cannot happen. */
function isPlayable({ label }: Step, state: Uint8Array, { workers }: Playing): boolean {
  const { type, a, x } = readLabel(label);
  const expired = at(state, a * A_SIZE + A_EXP) === 1;
  const applied = at(state, a * A_SIZE + A_APP) > 0;
  switch (type) {
    case L.answerLost:
      return workers.get(`${a}:${x}`)?.mayLoseAnswer ?? false;
    case L.reject:
      return !expired; // in the model the read may be before the expiry and the write after it
    case L.look:
    case L.probeAsk:
      return applied || !isAtLease(state, a);
    default:
      return true;
  }
}

/** The end of a lease and the gate of a doubt are two instants in the model, where clocks differ, and one in the real thing. */
function isAtLease(state: Uint8Array, a: number): boolean {
  return Array.from({ length: used(state, a) }, (_, i) => attemptAt(a, i)).some(
    (t) => at(state, t + T_EFF) === UNKNOWN && at(state, t + T_AGE) === 3,
  );
}

function choose(steps: readonly Step[], { kind, which }: Pick): Step | undefined {
  const typeOf = ({ label }: Step): number => readLabel(label).type;
  const possible = kinds.filter(([type]) => steps.some((step) => typeOf(step) === type));
  const weighted = possible.flatMap(([type, weight]) => Array.from({ length: weight }, () => type));
  const type = weighted[kind % weighted.length];
  const ofKind = steps.filter((step) => typeOf(step) === type);
  return ofKind[which % ofKind.length];
}
