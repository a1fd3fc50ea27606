/**
 * The life of an action: states × events (DESIGN §2), with the effect beside it. Pure; everything that moves an action
 * asks here first, and the store writes what this says, guarded by the version it was computed from.
 *
 *   from \ event     claim                     answer on time                      silence                    late answer
 *   PENDING          EXECUTING                 –                                   –                          rule 3
 *   EXECUTING        lose                      SUCCEEDED · REFUSED · PENDING ·     INDETERMINATE; SUCCEEDED   recorded
 *                                              INDETERMINATE · FAILED              if another is APPLIED
 *   INDETERMINATE    EXECUTING, acknowledged   –                                   –                          rule 3
 *   terminal         refuse                    –                                   –                          rule 3
 *
 *   from \ event     expire    reject     amend        differs               landed                not landed
 *   PENDING          EXPIRED   REJECTED   SUPERSEDED   PRECONDITION_FAILED   SUCCEEDED, if tried   effect NONE
 *     in doubt       EXPIRED   REJECTED   refuse       INDETERMINATE         SUCCEEDED             effect NONE
 *   EXECUTING        –         refuse     refuse       –                     refuse                refuse
 *   INDETERMINATE    –         refuse     refuse       stays                 SUCCEEDED             PENDING or FAILED
 *   terminal         –         refuse     refuse       –                     rule 3, if tried      in doubt: effect NONE
 *
 * - *Answer on time*: for the attempt that is open. A success wins; a refusal is terminal, whatever effect it says it has; a
 *   failure releases to PENDING, or to INDETERMINATE while another attempt that was never answered is in doubt, or to FAILED
 *   when it was the last attempt. A success that is already known of another attempt wins over all of these.
 * - *Silence*: no answer came, or the lease of the open attempt is over.
 * - *Late answer* (rule 3): for an attempt whose end is already recorded. It is always recorded on its own attempt and may
 *   raise that attempt to APPLIED or clear its doubt, nothing else. A late success settles INDETERMINATE, released PENDING
 *   and in-doubt FAILED as SUCCEEDED; while another attempt is open it waits for that one; elsewhere the state stays.
 *   Any other late answer moves only INDETERMINATE: as an answer on time would if it is the newest attempt's, or as "not
 *   landed" (PENDING while attempts are left and it is not past expiry, else FAILED) if it clears the last doubt. An answer
 *   that its attempt's record says already is no news, and moves nothing: a settlement whose own answer was lost is repeated,
 *   and must not undo what has been learned since.
 * - *Differs*: the precondition's read answers otherwise than when it was staged. While an attempt is in doubt the change may
 *   be our own (rule 4).
 * - *Landed*, *not landed*: the endpoint's answer to a probe, or a person. Landed is believed whenever an attempt was made: it
 *   is recorded on the newest attempt in doubt, or else on the newest, and moves as a late success does. Not landed clears
 *   every doubt, and needs one; INDETERMINATE then goes to PENDING while attempts are left and it is not past expiry, else to
 *   FAILED.
 * - *Effect*: the most that any recorded attempt may have left behind; UNKNOWN while one is open.
 * - *Unanswered*: an attempt in doubt that ended in silence.
 */
import type { Action, Attempt, AttemptOutcome, Effect, State } from './action.ts';
import { attemptsAllowed, attemptsInDoubt, effects } from './action.ts';
import type { Answer } from './answer.ts';

/** What moves an action. `pastExpiry` is judged by the database's clock. */
export type Event =
  | { readonly type: 'claim'; readonly acknowledged: boolean; readonly pastExpiry: boolean }
  | { readonly type: 'answer'; readonly attempt: number; readonly answer: Answer; readonly pastExpiry: boolean }
  | { readonly type: 'lease-over'; readonly attempt: number }
  | { readonly type: 'expire'; readonly pastExpiry: boolean }
  | { readonly type: 'reject' }
  | { readonly type: 'amend'; readonly pastExpiry: boolean }
  | { readonly type: 'differs' }
  | { readonly type: 'landed' }
  | { readonly type: 'not-landed'; readonly pastExpiry: boolean };

/** What an attempt's record becomes. */
export interface AttemptChange {
  readonly number: number;
  readonly outcome: AttemptOutcome;
  readonly effect: Effect;
}

/** Where an event leads; `unchanged` when the record already says all of it, `refused` when the table has no such cell. */
export type Transition =
  | {
      readonly kind: 'moved';
      readonly state: State;
      readonly effect: Effect;
      readonly attempts: readonly AttemptChange[];
    }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused' };

/** The parts of an action that decide about it. */
export type Life = Pick<Action, 'state' | 'effect'> & {
  readonly attempts: readonly Pick<Attempt, 'number' | 'outcome' | 'effect'>[];
};

type Cell<E extends Event> = (life: Life, event: E) => Transition;
type Row = { readonly [T in Event['type']]: Cell<Extract<Event, { type: T }>> };

const refused: Transition = { kind: 'refused' };
const no = (): Transition => refused;

const terminal: Row = {
  claim: no,
  answer: late,
  'lease-over': no,
  expire: no,
  reject: no,
  amend: no,
  differs: no,
  landed,
  'not-landed': notLanded,
};

const table: Record<State, Row> = {
  PENDING: {
    claim: (_, { pastExpiry }) => (pastExpiry ? refused : claimed),
    answer: late,
    'lease-over': no,
    expire: (life, { pastExpiry }) => (pastExpiry ? moved(life, 'EXPIRED') : refused),
    reject: (life) => moved(life, 'REJECTED'),
    amend: (life, { pastExpiry }) => (pastExpiry || life.effect === 'UNKNOWN' ? refused : moved(life, 'SUPERSEDED')),
    differs: (life) => moved(life, life.effect === 'UNKNOWN' ? 'INDETERMINATE' : 'PRECONDITION_FAILED'),
    landed,
    'not-landed': notLanded,
  },
  EXECUTING: { ...terminal, answer: answered, 'lease-over': silence, landed: no, 'not-landed': no },
  INDETERMINATE: {
    ...terminal,
    claim: (life, { acknowledged, pastExpiry }) =>
      acknowledged && !pastExpiry && life.attempts.length < attemptsAllowed ? claimed : refused,
    differs: () => ({ kind: 'unchanged' }),
  },
  SUCCEEDED: terminal,
  REFUSED: terminal,
  FAILED: terminal,
  PRECONDITION_FAILED: terminal,
  REJECTED: terminal,
  EXPIRED: terminal,
  SUPERSEDED: terminal,
};

/** A transition that leaves the attempts as they are. */
function moved({ effect }: Life, state: State): Transition {
  return { kind: 'moved', state, effect, attempts: [] };
}

const claimed: Transition = { kind: 'moved', state: 'EXECUTING', effect: 'UNKNOWN', attempts: [] };

/** The table's answer for one event. */
export function transition<E extends Event>(life: Life, event: E): Transition {
  const cell = table[life.state][event.type] as Cell<E>;
  return cell(life, event);
}

/** The most that any recorded attempt may have left behind; an open one is not counted. */
export function effectOf(attempts: Life['attempts']): Effect {
  return attempts.reduce<Effect>(
    (most, { outcome, effect }) => (outcome === 'OPEN' ? most : stronger(most, effect)),
    'NONE',
  );
}

function stronger(a: Effect, b: Effect): Effect {
  return effects.indexOf(a) >= effects.indexOf(b) ? a : b;
}

function recordOf(answer: Answer): Pick<AttemptChange, 'outcome' | 'effect'> {
  switch (answer.kind) {
    case 'succeeded':
      return { outcome: 'SUCCEEDED', effect: 'APPLIED' };
    case 'refused':
      return { outcome: 'REFUSED', effect: answer.effect };
    case 'failed':
      return { outcome: 'FAILED', effect: answer.effect };
    case 'no-answer':
      return { outcome: 'NO_ANSWER', effect: 'UNKNOWN' };
  }
}

/** Is an attempt other than this one unanswered and still in doubt? */
function unansweredBeside(attempts: Life['attempts'], number: number): boolean {
  return attempts.some(
    (other) => other.number !== number && other.outcome === 'NO_ANSWER' && other.effect === 'UNKNOWN',
  );
}

/** Is an attempt other than this one known to have taken effect? An open one is not counted. */
function appliedBeside(attempts: Life['attempts'], number: number): boolean {
  return effectOf(attempts.filter((other) => other.number !== number)) === 'APPLIED';
}

function withChange(life: Life, change: AttemptChange): Life['attempts'] {
  return life.attempts.map((attempt) => (attempt.number === change.number ? { ...attempt, ...change } : attempt));
}

/** Where the answer of the newest attempt leads, once it stands on its record. */
function stateByOutcome(outcome: AttemptOutcome, number: number, after: Life['attempts']): State {
  if (outcome === 'SUCCEEDED' || appliedBeside(after, number)) return 'SUCCEEDED';
  if (outcome === 'REFUSED') return 'REFUSED'; // whatever effect the endpoint says it has (DESIGN §4)
  if (outcome === 'NO_ANSWER') return 'INDETERMINATE';
  if (after.length >= attemptsAllowed) return 'FAILED';
  return unansweredBeside(after, number) ? 'INDETERMINATE' : 'PENDING';
}

function settleOpen(life: Life, change: AttemptChange): Transition {
  const after = withChange(life, change);
  return {
    kind: 'moved',
    state: stateByOutcome(change.outcome, change.number, after),
    effect: effectOf(after),
    attempts: [change],
  };
}

function silence(life: Life, { attempt: number }: { readonly attempt: number }): Transition {
  const open = life.attempts.find((attempt) => attempt.number === number);
  if (open?.outcome !== 'OPEN') return refused;
  return settleOpen(life, { number, outcome: 'NO_ANSWER', effect: 'UNKNOWN' });
}

function answered(life: Life, event: Extract<Event, { type: 'answer' }>): Transition {
  const attempt = life.attempts.find(({ number }) => number === event.attempt);
  if (attempt?.outcome !== 'OPEN') return late(life, event);
  return settleOpen(life, { number: event.attempt, ...recordOf(event.answer) });
}

function late(life: Life, { attempt: number, answer, pastExpiry }: Extract<Event, { type: 'answer' }>): Transition {
  const attempt = life.attempts.find((each) => each.number === number);
  if (attempt === undefined || attempt.outcome === 'OPEN') return refused;
  const record = recordOf(answer);
  const clears = record.effect === 'NONE' && attempt.effect === 'UNKNOWN';
  const change: AttemptChange = {
    number,
    outcome: answer.kind === 'no-answer' ? attempt.outcome : record.outcome,
    effect: record.effect === 'APPLIED' || clears ? record.effect : attempt.effect,
  };
  if (change.outcome === attempt.outcome && change.effect === attempt.effect) return { kind: 'unchanged' };
  const after = withChange(life, change);
  const executing = life.state === 'EXECUTING';
  const effect = executing ? 'UNKNOWN' : effectOf(after);
  const state = executing ? life.state : lateState(life, answer, record, change, after, pastExpiry);
  return { kind: 'moved', state, effect, attempts: [change] };
}

function lateState(
  life: Life,
  answer: Answer,
  record: Pick<AttemptChange, 'effect'>,
  change: AttemptChange,
  after: Life['attempts'],
  pastExpiry: boolean,
): State {
  if (life.state === 'INDETERMINATE' && answer.kind !== 'no-answer' && change.number === after.length)
    return stateByOutcome(change.outcome, change.number, after);
  if (record.effect === 'APPLIED') return stateAfterSuccess(life);
  if (life.state !== 'INDETERMINATE') return life.state;
  return effectOf(after) === 'NONE' ? stateWithoutDoubt(after.length, pastExpiry) : life.state;
}

/** Somebody knows that the write took effect: accepted whenever an attempt was made and it is not known already. */
function landed(life: Life): Transition {
  const attempt =
    attemptsInDoubt(life.attempts).at(-1) ?? (life.effect === 'APPLIED' ? undefined : life.attempts.at(-1));
  if (attempt === undefined) return refused;
  const change: AttemptChange = { number: attempt.number, outcome: attempt.outcome, effect: 'APPLIED' };
  const effect = effectOf(withChange(life, change));
  return { kind: 'moved', state: stateAfterSuccess(life), effect, attempts: [change] };
}

/** Somebody knows that no attempt in doubt took effect or ever will. */
function notLanded(life: Life, { pastExpiry }: { readonly pastExpiry: boolean }): Transition {
  const changes = attemptsInDoubt(life.attempts).map(
    ({ number, outcome }): AttemptChange => ({ number, outcome, effect: 'NONE' }),
  );
  if (changes.length === 0) return refused;
  const effect = effectOf(
    changes.reduce((attempts, change) => withChange({ ...life, attempts }, change), life.attempts),
  );
  const state = life.state === 'INDETERMINATE' ? stateWithoutDoubt(life.attempts.length, pastExpiry) : life.state;
  return { kind: 'moved', state, effect, attempts: changes };
}

/** A success that is known late settles what is still open to it (rule 3). */
function stateAfterSuccess({ state, effect }: Life): State {
  return state === 'INDETERMINATE' || state === 'PENDING' || (state === 'FAILED' && effect === 'UNKNOWN')
    ? 'SUCCEEDED'
    : state;
}

function stateWithoutDoubt(used: number, pastExpiry: boolean): State {
  return used < attemptsAllowed && !pastExpiry ? 'PENDING' : 'FAILED';
}
