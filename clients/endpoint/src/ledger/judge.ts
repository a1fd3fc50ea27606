/** What the entry of a key means for a call or a question: decided here, for every ledger. Asked while the key is held. */
import type { Outcome } from '../outcome.ts';
import type { Disposition, Entry, Question, Write } from './ledger.ts';

/** `run`: there is nothing against it. Anything else is the answer, and nothing may be done. */
export type Judged = Outcome | { readonly kind: 'run' };

export function judgeWrite(entry: Entry | undefined, write: Write, inTime: boolean): Judged {
  if (entry !== undefined) {
    if (!isAbout(entry, write) || (entry.argumentsDigest ?? write.argumentsDigest) !== write.argumentsDigest) {
      return keyReused(write);
    }
    // A repeat of what was done before the deadline gets its result at any time.
    if (entry.state === 'applied') return { kind: 'result', json: entry.result, replayed: true };
    if (entry.state === 'refused' && entry.attempt === write.attempt) {
      return { kind: 'refused', refusal: entry.refusal, replayed: true };
    }
    if (write.attempt <= entry.attempt) return withdrawn(write);
  }
  return inTime ? { kind: 'run' } : pastDeadline(write);
}

/** `withdraw`: nothing was executed, and before that is said it has to be made sure of. */
export type ProbeJudged = Disposition | { readonly kind: 'withdraw' };

/** `forgotten`: an entry of this key would have been deleted by now, so that there being none says nothing. */
export function judgeProbe(entry: Entry | undefined, question: Question, forgotten: boolean): ProbeJudged {
  if (entry === undefined) return { kind: forgotten ? 'unknown' : 'withdraw' };
  if (!isAbout(entry, question)) return { kind: 'unknown' };
  if (entry.state === 'applied') return { kind: 'executed', result: entry.result };
  if (entry.leftBehind) return { kind: 'unknown' };
  if (entry.attempt < question.attempt) return { kind: 'withdraw' };
  const reason = entry.state === 'refused' && entry.attempt === question.attempt ? entry.refusal : undefined;
  return { kind: 'not_executed', refusal: reason };
}

/** Whether the entry is about the same tool for the same tenant: another's result is never given away. */
function isAbout(entry: Entry, { tenant, tool }: Question): boolean {
  return entry.tenant === tenant && entry.tool === tool;
}

function keyReused({ key, tool }: Write): Outcome {
  const message =
    `The key ${key} was used before, for another call than this one of ${tool}; nothing was done. ` +
    'A key belongs to one tool and one set of arguments.';
  const refusal = { code: 'idempotency_key_reused', message, field: 'request_id', receivedJson: JSON.stringify(key) };
  return { kind: 'refused', refusal: { ...refusal, effect: 'none', retryable: false }, replayed: false };
}

export function pastDeadline({ deadline }: Write): Extract<Outcome, { kind: 'late' }> {
  const message = `The call is past its deadline (${deadline.toISOString()}); nothing was done.`;
  return { kind: 'late', code: 'past_deadline', message };
}

function withdrawn({ attempt }: Write): Outcome {
  const message = `Attempt ${attempt} is withdrawn: it was told not to be executed, and nothing was done.`;
  return { kind: 'late', code: 'attempt_withdrawn', message };
}
