/** What must be seen from outside after every step of a walk. */
import { isDeepStrictEqual } from 'node:util';
import type { Action, ActionId, State } from '../../server/domain/action.ts';
import type { Life } from '../../server/domain/transition.ts';
import type { Confirmed } from '../../server/lifecycle/lifecycle.ts';
import { A_SIZE, A_ST, at, PENDING } from '../model/layout.ts';
import { isPastExpiry, lifeOf } from '../model/life.ts';
import { holds } from '../model/reading.ts';
import { type Playing, proposalOf } from './playing.ts';
import { agent, neverAborted, type Setting } from './setting.ts';

/** What the caller of an attempt is told of it fits the record. */
export function truthful(told: Confirmed | undefined, { state, attempts }: Life, i: number): void {
  if (told === undefined) return;
  const success = told.status === 'EXECUTED' || told.status === 'REPLAYED';
  const attempt = attempts[i];
  const succeeded = state === 'SUCCEEDED' || (attempt?.effect === 'APPLIED' && attempt.outcome !== 'REFUSED');
  if (success !== succeeded) throw new Error(`the caller is told ${told.status} of ${state}`);
}

/** The record says what the model says, and every row has its events. */
export async function compare(
  setting: Setting,
  ids: readonly ActionId[],
  state: Uint8Array,
  reached: Map<ActionId, State>,
): Promise<void> {
  for (const [a, id] of ids.entries()) {
    const { action } = await setting.read(id);
    const model = lifeOf(state, a);
    const real = lifeIn(action);
    if (!isDeepStrictEqual(real, model)) {
      throw new Error(`the record says ${JSON.stringify(real)}\n  and the model ${JSON.stringify(model)}`);
    }
    const was = reached.get(id);
    if (
      was !== undefined &&
      was !== action.state &&
      isTerminal(was) &&
      !(was === 'FAILED' && action.state === 'SUCCEEDED')
    ) {
      throw new Error(`the terminal ${was} became ${action.state}`);
    }
    reached.set(id, action.state);
    await checkEvents(setting, action);
    const sent = setting.endpoint.calls.filter(({ actionId }) => actionId === id).map(({ attempt }) => attempt);
    if (new Set(sent).size !== sent.length) throw new Error(`an attempt was sent twice: ${sent}`);
  }
}

function lifeIn({ state, effect, attempts }: Action): Life {
  return { state, effect, attempts: attempts.map(({ number, outcome, effect }) => ({ number, outcome, effect })) };
}

function isTerminal(state: State): boolean {
  return state !== 'PENDING' && state !== 'EXECUTING' && state !== 'INDETERMINATE';
}

async function checkEvents({ database }: Setting, { id, version, state, effect }: Action): Promise<void> {
  const events = await database.query<{ version: number; to_state: string; effect: string }>(
    'select version, to_state, effect from event where action_id = $1 order by version',
    [id],
  );
  const numbered = events.every((event, k) => event.version === k + 1);
  const last = events.at(-1);
  if (events.length !== version || !numbered || last?.to_state !== state || last.effect !== effect) {
    throw new Error(`version ${version}, ${state}/${effect}, has the events ${JSON.stringify(events)}`);
  }
}

/** While an intent is held the same proposal makes nothing new. */
export async function stageWhatIsHeld(playing: Playing, state: Uint8Array): Promise<void> {
  const { ids, reader } = playing;
  const a = ids.length - 1;
  const overdue = at(state, a * A_SIZE + A_ST) === PENDING && isPastExpiry(state, a);
  if (!holds(state, a) || overdue) return;
  const { action, idempotentReplay } = await reader.lifecycle.stage(agent, proposalOf(playing, a), neverAborted);
  if (!idempotentReplay || action.id !== ids[a]) throw new Error('a held intent was staged again');
}
