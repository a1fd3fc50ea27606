/** The steps of probers and people: questions to the endpoint, what somebody saw, rejections, amendments, proposals made again. */
import { attemptsInDoubt } from '../../server/domain/action.ts';
import { CallError } from '../../server/domain/error.ts';
import type { Principal } from '../../server/domain/principal.ts';
import type { ResolveInput } from '../../server/lifecycle/lifecycle.ts';
import { WORD_AGAIN, WORD_HEEDED, WORD_LANDED } from '../model/labels.ts';
import { A_SIZE, A_ST, at, H_OLD, H_SEEN, P_ANS, P_PC, PENDING } from '../model/layout.ts';
import { isPastExpiry } from '../model/life.ts';
import { mayAmend } from '../model/moves.ts';
import { timesApplied } from '../model/reading.ts';
import { answers, type EndpointAnswer } from '../support/endpoint.ts';
import { idOf, type Playing, proposalOf } from './playing.ts';
import { agent, approver, neverAborted } from './setting.ts';
import { worldOf } from './walk-confirms.ts';

/** The endpoint is asked: by a person, or by the job. Its answer is still to come. */
export async function ask(playing: Playing, a: number, variety: number): Promise<void> {
  const { setting, reader } = playing;
  const id = idOf(playing, a);
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<EndpointAnswer>();
  setting.endpoint.answerProbe(() => {
    asked.resolve();
    return answered.promise;
  });
  const byJob = async (): Promise<undefined> => {
    await setting.database.query('update action set next_probe_at = now() where id = $1', [id]);
    reader.sweepOnly(id);
    const count = await reader.lifecycle.sweeps.probes();
    if (count !== 1) throw new Error(`the job asked ${count} questions`);
  };
  const settled =
    variety % 2 === 0
      ? byJob()
      : reader.lifecycle.probeNow(approver, id, neverAborted).then((probed): boolean => probed.settled);
  settled.catch(() => undefined); // told to whoever answers
  await Promise.race([asked.promise, settled.then(() => Promise.reject(new Error('nobody asked')))]);
  playing.question = { id, answer: answered.resolve, settled };
}

/** The answer comes; `believed` says whether it settles the doubt. */
export async function answerQuestion(playing: Playing, before: Uint8Array, believed: boolean): Promise<void> {
  const { question, model } = playing;
  if (question === undefined) throw new Error('nobody asked');
  playing.question = undefined;
  const executed = at(before, model.prober + P_ANS) === 1;
  question.answer(answers.probed(executed ? 'EXECUTED' : 'NOT_EXECUTED', executed ? '{"ok":true}' : undefined));
  const settled = await question.settled;
  if (settled !== undefined && settled !== believed) throw new Error(`the probe says settled: ${settled}`);
}

/** A question about an action that has moved on meanwhile has lost: its answer settles nothing. */
export async function letQuestionEnd(playing: Playing, before: Uint8Array, after: Uint8Array): Promise<void> {
  if (playing.question === undefined || at(after, playing.model.prober + P_PC) > 0) return;
  await answerQuestion(playing, before, false);
}

/** A person says what they saw; what the model heeds is written, and what it does not changes nothing. */
export async function say(playing: Playing, before: Uint8Array, a: number, x: number): Promise<void> {
  const { model, reader } = playing;
  const landed = (x & WORD_LANDED) > 0;
  const input: ResolveInput = {
    actionId: idOf(playing, a),
    landed,
    resultJson: landed ? '{"seen":true}' : null,
    note: 'Looked.',
    expectedAttempts: at(before, model.person + H_SEEN),
    observedAt: await lookedAt(playing, a, landed || at(before, model.person + H_OLD) === 1),
  };
  const seer: Principal = { ...approver, credentialId: `c-${playing.looks}`, userId: `u-${playing.looks}` };
  const heeded = await reader.lifecycle.resolve(seer, input).then(
    ({ idempotentReplay }) => !idempotentReplay,
    (error: unknown) => {
      if (error instanceof CallError) return false;
      throw error;
    },
  );
  if (heeded !== (x & WORD_HEEDED) > 0) {
    throw new Error(`"${landed ? 'landed' : 'not landed'}" was heeded: ${heeded}${x & WORD_AGAIN ? ', again' : ''}`);
  }
}

/** When they looked: now, or else before the last doubt could be known, on the times that the walk has moved. */
async function lookedAt(playing: Playing, a: number, late: boolean): Promise<Date> {
  const { action, at: now } = await playing.setting.read(idOf(playing, a));
  const doubt = attemptsInDoubt(action.attempts).at(-1);
  if (late || doubt === undefined) return now;
  return new Date(Math.min(now.getTime(), doubt.deadlineAt.getTime() + 29_000));
}

export async function reject(playing: Playing, a: number): Promise<void> {
  await playing.reader.lifecycle.reject(approver, { actionId: idOf(playing, a), reason: 'Not today.' });
}

/** The same ticket with a reason: other arguments, the same intent. */
export async function amend(playing: Playing, before: Uint8Array, a: number, variety: number): Promise<void> {
  const id = idOf(playing, a);
  const argumentsJson = JSON.stringify({ ...JSON.parse(playing.proposed[a] ?? '{}'), reason: 'Amended.' });
  playing.world = worldOf(timesApplied(playing.model, before));
  const requestId = variety % 2 === 0 ? `amend-${id}` : '';
  const input = { actionId: id, argumentsJson, requestId, tool: '' };
  const amended = await playing.reader.lifecycle.amend(approver, input, neverAborted);
  const repeated = await playing.reader.lifecycle.amend(approver, input, neverAborted);
  if (amended.idempotentReplay || repeated.action.id !== amended.action.id) throw new Error('an amendment was not one');
  playing.ids.push(amended.action.id);
  playing.proposed.push(argumentsJson);
}

/** The same wish, once nobody holds it any more. */
export async function stageAgain(playing: Playing, before: Uint8Array): Promise<void> {
  playing.world = worldOf(timesApplied(playing.model, before));
  const staged = await playing.reader.lifecycle.stage(agent, proposalOf(playing, 0), neverAborted);
  if (staged.idempotentReplay) throw new Error('an intent that nobody holds made no new action');
  playing.ids.push(staged.action.id);
  playing.proposed.push(playing.proposed[0] ?? '{}');
}

/** What the table refuses is refused: a rejection, or an amendment, in a state that has neither. */
export async function tryWhatIsRefused(playing: Playing, state: Uint8Array, a: number): Promise<void> {
  const { reader, model } = playing;
  const actionId = idOf(playing, a);
  const argumentsJson = JSON.stringify({ ...JSON.parse(playing.proposed[a] ?? '{}'), reason: 'Never.' });
  const rejects = at(state, a * A_SIZE + A_ST) === PENDING && !isPastExpiry(state, a);
  if (!rejects) await refused(reader.lifecycle.reject(approver, { actionId, reason: 'Never.' }), 'a rejection');
  if (mayAmend(model, state, a)) return;
  const input = { actionId, argumentsJson, requestId: '', tool: '' };
  await refused(reader.lifecycle.amend(approver, input, neverAborted), 'an amendment');
}

async function refused(call: Promise<unknown>, what: string): Promise<void> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) throw new Error(`${what} was not refused`);
  if (!(error instanceof CallError)) throw error;
}
