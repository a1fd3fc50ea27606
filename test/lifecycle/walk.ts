/**
 * Walks of the model, played on the real thing. After every step the record must say what the model says, and what can be
 * seen from outside must be in order: no attempt sent twice, no terminal state left, no row without its event.
 */
import { randomUUID } from 'node:crypto';
import type { ActionId, State } from '../../server/domain/action.ts';
import { describeState, describeStep, L, readLabel } from '../model/labels.ts';
import { createModel, type Model, type Step } from '../model/model.ts';
import { mended, type World } from '../model/world.ts';
import type { Setting } from './setting.ts';
import { compare, stageWhatIsHeld } from './walk-checks.ts';
import { type Playing, play } from './walk-steps.ts';
import type { Worker } from './worker.ts';

/** Chooses a step: among the kinds that are possible, then among those of the kind. */
export interface Pick {
  readonly kind: number;
  readonly which: number;
}

/** Kinds of step, the most telling first, so that smaller picks are simpler walks; the number is how often it is chosen. */
const kinds: readonly (readonly [number, number])[] = [
  [L.click, 10],
  [L.claim, 20],
  [L.check, 30],
  [L.send, 40],
  [L.arriveApply, 10],
  [L.arriveNo, 8],
  [L.settle, 8],
  [L.gateway500, 3],
  [L.cut, 4],
  [L.arriveDedup, 12],
  [L.arriveRefused, 10],
  [L.lease, 12],
  [L.tick, 8],
  [L.settleAgain, 3],
  [L.answerLost, 3],
  [L.unsent, 3],
  [L.giveUp, 4],
  [L.notFound, 6],
  [L.lost, 2],
  [L.accept, 20],
  [L.crash, 2],
  [L.stage, 12],
  [L.expire, 8],
  [L.pastExpiry, 1],
];

/** Plays the picks; rejects with the walk so far as soon as anything is not as the model says. */
export async function walk(setting: Setting, world: World, picks: readonly Pick[]): Promise<void> {
  const model = createModel(mended, world, { keepRecords: true });
  const ticket = randomUUID();
  const reader = setting.replica();
  const ids: ActionId[] = [(await setting.stage(reader, ticket)).id];
  const workers = new Map<string, Worker>();
  const told: string[] = [];
  const reached = new Map<ActionId, State>();
  let state = model.initial();

  setting.endpoint.answer((call) => {
    const worker = workers.get(`${ids.indexOf(call.actionId as ActionId)}:${call.attempt - 1}`);
    if (worker === undefined) throw new Error('a call that nobody made');
    return worker.called(call);
  });

  const playing: Playing = { setting, ids, workers, reader, ticket, slots: model.setting.slots };
  try {
    for (const [index, pick] of picks.entries()) {
      const step = choose(successors(model, state, playing), pick);
      if (step === undefined) break;
      told.push(`${describeStep(model.setting, step.label)}   {${describeState(model.setting, step.next)}}`);
      await play(playing, state, step, index);
      state = step.next;
      await compare(setting, ids, state, reached);
      if (index % 4 === 0) await stageWhatIsHeld(reader, ticket, ids, state);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${reason}\n  ${told.map((line, k) => `${k + 1}. ${line}`).join('\n  ')}`, { cause: error });
  } finally {
    await Promise.all([reader, ...[...workers.values()].map(({ replica }) => replica)].map((each) => each.die()));
    // What this walk left open is not swept in the next one, where a sweep takes the longest overdue first.
    await setting.database.query('update action set sweep_at = null where id = any($1)', [ids]);
  }
}

function successors(model: Model, state: Uint8Array, { workers }: Playing): Step[] {
  const steps: Step[] = [];
  model.successors(state, (step) => {
    const { type, a, x } = readLabel(step.label);
    const playable = type !== L.answerLost || (workers.get(`${a}:${x}`)?.mayLoseAnswer ?? false);
    if (playable) steps.push(step);
  });
  return steps;
}

function choose(steps: readonly Step[], { kind, which }: Pick): Step | undefined {
  const typeOf = ({ label }: Step): number => readLabel(label).type;
  const possible = kinds.filter(([type]) => steps.some((step) => typeOf(step) === type));
  const weighted = possible.flatMap(([type, weight]) => Array.from({ length: weight }, () => type));
  const type = weighted[kind % weighted.length];
  const ofKind = steps.filter((step) => typeOf(step) === type);
  return ofKind[which % ofKind.length];
}
