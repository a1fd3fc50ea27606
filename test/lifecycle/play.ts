/** The moves of the traces, on a setting that one file shares. */
import { expect } from 'vitest';
import type { Action, ActionId } from '../../server/domain/action.ts';
import type { Confirmed, ConfirmInput } from '../../server/lifecycle/lifecycle.ts';
import { answers, type EndpointAnswer, type EndpointCall } from '../support/endpoint.ts';
import { passMoment } from './backdate.ts';
import type { Replica } from './replica.ts';
import { approver, confirmInput, neverAborted, type Setting } from './setting.ts';

export const done = answers.result('{"status":"void"}');
export const refusal = answers.refusal({ code: 'already_void', message: 'The ticket is void already.' });
/** A clean failure: the endpoint turned the call away. */
export const turnedAway = answers.http(429);
/** A failure in doubt. */
export const broken = answers.http(500);

export function confirm(replica: Replica, id: ActionId, input: Partial<ConfirmInput> = {}): Promise<Confirmed> {
  return replica.lifecycle.confirm(approver, confirmInput(id, input), neverAborted);
}

/** What a confirm in doubt says. */
export function again(expectedAttempts: number): Partial<ConfirmInput> {
  return { acknowledgeIndeterminate: true, expectedAttempts };
}

export interface HeldAnswer {
  readonly arrived: Promise<EndpointCall>;
  answer(answer: EndpointAnswer): void;
}

/** The endpoint gets the next call, and answers it when told. */
export function heldAnswer({ endpoint }: Setting): HeldAnswer {
  const arrived = Promise.withResolvers<EndpointCall>();
  const answered = Promise.withResolvers<EndpointAnswer>();
  endpoint.answerNext((call) => {
    arrived.resolve(call);
    return answered.promise;
  });
  return { arrived: arrived.promise, answer: answered.resolve };
}

export function callsOf({ endpoint }: Setting, id: ActionId): readonly EndpointCall[] {
  return endpoint.calls.filter(({ actionId }) => actionId === id);
}

/** State, effect, and how each attempt is recorded: what somebody sees who reads the action. */
export async function seen(setting: Setting, id: ActionId): Promise<string> {
  return told((await setting.read(id)).action);
}

function told({ state, effect, attempts }: Action): string {
  return `${state}/${effect} [${attempts.map((each) => `${each.outcome}/${each.effect}`).join(', ')}]`;
}

export interface Orphan {
  readonly id: ActionId;
  /** What the caller of the first confirm will be told. */
  readonly first: Promise<Confirmed>;
  /** Answers the first call, late. */
  readonly answer: (answer: EndpointAnswer) => void;
  /** Another process. */
  readonly other: Replica;
}

/** An action whose first attempt went out and whose lease is over, with its worker still waiting for the answer. */
export async function orphaned(setting: Setting): Promise<Orphan> {
  const replica = setting.replica();
  const other = setting.replica();
  const { id } = await setting.stage(replica);
  const held = heldAnswer(setting);
  const first = confirm(replica, id);
  await held.arrived;
  await passMoment(setting.database, id, 1, 'lease');
  expect(await other.lifecycle.sweeps.orphans()).toBe(1);
  expect(await seen(setting, id)).toBe('INDETERMINATE/UNKNOWN [NO_ANSWER/UNKNOWN]');
  return { id, first, answer: held.answer, other };
}
