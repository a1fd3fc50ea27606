/** The ledger for trials: what can be kept without a database, it keeps as the others do. */
import { refuse } from '@tether/endpoint';
import { memoryLedger } from '@tether/endpoint/memory';
import { expect, test, vi } from 'vitest';
import { questionOf, refuseBy, writeOf } from './ledger-calls.ts';

const quietly = (now?: () => number) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const ledger = memoryLedger(now);
  expect(warn.mock.calls.flat().join(' ')).toContain('for trials only');
  warn.mockRestore();
  return ledger;
};

test('a write is done one time for each key, also when calls come at once, and repeats get its result', async () => {
  const ledger = quietly();
  const write = writeOf();
  let done = 0;
  const work = async () => {
    done += 1;
    await Promise.resolve();
    return `"${done}"`;
  };
  const answers = await Promise.all(Array.from({ length: 20 }, () => ledger.once(write, work, refuseBy)));
  expect(new Set(answers.map((answer) => answer.kind === 'result' && answer.json))).toEqual(new Set(['"1"']));
  expect(done).toBe(1);
  expect(await ledger.probe(questionOf(write))).toEqual({ kind: 'executed', result: '"1"' });
  const other = { ...write, argumentsDigest: 'sha256:01' };
  expect(await ledger.once(other, work, refuseBy)).toMatchObject({ refusal: { code: 'idempotency_key_reused' } });
});

test('a refusal is told again to a repeat of its attempt, and a later one is evaluated anew', async () => {
  const ledger = quietly();
  const write = writeOf();
  const no = () => Promise.reject(refuse({ code: 'no', message: 'No.' }));
  expect(await ledger.once(write, no, refuseBy)).toMatchObject({ kind: 'refused', replayed: false });
  expect(await ledger.once(write, async () => '1', refuseBy)).toMatchObject({ kind: 'refused', replayed: true });
  expect(await ledger.once({ ...write, attempt: 2 }, async () => '1', refuseBy)).toMatchObject({ json: '1' });
});

test('after "not executed" no attempt up to that one is done; while one is worked on, a probe says so', async () => {
  const ledger = quietly();
  const write = writeOf();
  expect(await ledger.probe(questionOf(write))).toEqual({ kind: 'not_executed' });
  expect(await ledger.once(write, async () => '1', refuseBy)).toMatchObject({ kind: 'late' });
  const second = { ...write, attempt: 2 };
  const told: string[] = [];
  await ledger.once(
    second,
    async () => {
      told.push((await ledger.probe(questionOf(second))).kind);
      return '1';
    },
    refuseBy,
  );
  expect(told).toEqual(['in_progress']);
});

test('a call past its deadline does nothing', async () => {
  const write = writeOf();
  const ledger = quietly(() => write.deadline.getTime());
  expect(await ledger.once(write, async () => '1', refuseBy)).toMatchObject({ kind: 'late', code: 'past_deadline' });
});
