import type { Outcome } from '../outcome.ts';
import { judgeProbe, judgeWrite } from './judge.ts';
import type { Entry, EntryState, Ledger, Question } from './ledger.ts';
import { createTurns } from './turns.ts';

/**
 * NOT FOR PRODUCTION: a ledger that is gone with the process, and that no other process sees. There is no transaction, so
 * `call.tx` is undefined and nothing that a handler did is ever rolled back. For a first trial, without a database.
 */
export function memoryLedger(now: () => number = Date.now): Ledger<undefined> {
  console.warn('@tether/endpoint: memoryLedger forgets all writes when the process ends; it is for trials only.');
  const entries = new Map<string, Entry>();
  const held = new Set<string>();
  const inTurn = createTurns();

  function put({ key, tenant, tool, attempt }: Question, argumentsDigest: string | undefined, state: EntryState): void {
    const left = state.state === 'refused' && state.refusal.effect !== 'none';
    const leftBehind = left || (entries.get(key)?.leftBehind ?? false);
    entries.set(key, { tenant, tool, attempt, argumentsDigest, leftBehind, ...state });
  }

  return {
    once(write, work, refuse) {
      return inTurn(write.key, async (): Promise<Outcome> => {
        const judged = judgeWrite(entries.get(write.key), write, now() < write.deadline.getTime());
        if (judged.kind !== 'run') return judged;
        held.add(write.key);
        try {
          const result = await work(undefined);
          put(write, write.argumentsDigest, { state: 'applied', result });
          return { kind: 'result', json: result, replayed: false };
        } catch (error) {
          const refusal = refuse(error);
          if (refusal === undefined) throw error;
          put(write, write.argumentsDigest, { state: 'refused', refusal });
          return { kind: 'refused', refusal, replayed: false };
        } finally {
          held.delete(write.key);
        }
      });
    },

    async probe(question) {
      if (held.has(question.key)) return { kind: 'in_progress' };
      const entry = entries.get(question.key);
      const judged = judgeProbe(entry, question, false);
      if (judged.kind !== 'withdraw') return judged;
      put(question, entry?.argumentsDigest, { state: 'withdrawn' });
      return { kind: 'not_executed' };
    },
  };
}
