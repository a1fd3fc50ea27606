/** One confirm of a walk, on its way to its claim: a replica that has read the action and stops wherever the world is asked. */
import type { ActionId } from '../../server/domain/action.ts';
import { CallError } from '../../server/domain/error.ts';
import type { Confirmed, ConfirmInput } from '../../server/lifecycle/lifecycle.ts';
import type { Gate } from './gates.ts';
import { confirm } from './play.ts';
import type { Replica } from './replica.ts';
import type { Told } from './walk-answers.ts';

export interface Message {
  readonly replica: Replica;
  readonly told: Promise<Confirmed>;
  /** About to call the precondition's read; never reached without one. */
  readonly beforeRead: Gate;
  /** Has its answer in hand. */
  readonly afterRead: Gate;
  /** Has claimed, and is about to connect. */
  readonly beforeWrite: Gate;
}

export function sendConfirm(replica: Replica, id: ActionId, input: Partial<ConfirmInput>): Message {
  const [beforeRead, afterRead] = [replica.hold('before read'), replica.hold('after read')];
  const beforeWrite = replica.hold('before write');
  const told = confirm(replica, id, input);
  told.catch(() => undefined); // told to whoever asks
  return { replica, told, beforeRead, afterRead, beforeWrite };
}

/** It comes to that stop. Throws if it ends before. */
export async function comesTo({ told }: Message, stop: Gate): Promise<void> {
  const early = await Promise.race([stop.reached.then(() => undefined), tellsOf(told)]);
  if (early !== undefined) throw new Error(`a confirm was answered too early: ${early}`);
}

/** It goes on to its end, without a claim. What it is told. */
export async function endsUnclaimed({ told, beforeRead, afterRead, beforeWrite }: Message): Promise<Told> {
  beforeRead.pass();
  afterRead.pass();
  const claimed = beforeWrite.reached.then(() => Promise.reject(new Error('a confirm claimed that had to lose')));
  return Promise.race([claimed, tellsOf(told)]);
}

/** The status of an answer, or the code of an error. */
export function tellsOf(confirmed: Promise<Confirmed>): Promise<Told> {
  return confirmed.then(
    ({ status }) => status,
    (error: unknown) => {
      if (error instanceof CallError) return error.code;
      throw error;
    },
  );
}
