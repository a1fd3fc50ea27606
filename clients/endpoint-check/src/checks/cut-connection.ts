import { type Check, failed, NotKept, passed, resultOf, saidOf, type Trial } from '../check.ts';
import type { Call } from '../contract/call.ts';

export const cutConnection: Check = {
  id: 'cut-connection',
  sends:
    'a write whose connection is cut as soon as the whole request is out; then, with `--probe`, a probe; then the same key as the next attempt',
  expects:
    'a result for the next attempt, the same when it is asked for again, and the one that the probe told; with `--count-read`, one write',
  why: 'This is how an answer gets lost. The write was made, or it was not; the ledger must know which.',
  mend: 'Record the key in the transaction of the write, not after the answer went out and not in a second transaction.',
  needs: ['answers-a-write', 'same-key-twice', 'probe-truthful'],
  async run(trial) {
    const before = await trial.count();
    const write = trial.newWrite();
    await trial.send(write, { cut: true, what: 'connection cut' });
    await landed(trial, before);
    const told = trial.settings.probe ? await whatBecameOf(trial, write) : undefined;
    const next = resultOf(await trial.send({ ...write, attempt: 2 }), 'The next attempt, after the connection was cut');
    if (told !== undefined && told !== next) return failed('The probe told another result than the next attempt got.');
    const again = resultOf(await trial.send({ ...write, attempt: 2 }), 'The same attempt again');
    if (again !== next) return failed('The next attempt and its repetition were answered with different results.');
    const after = await trial.count();
    if (before !== undefined && after !== undefined && after !== before + 1) {
      return failed(`One key, and ${after - before} writes were counted.`);
    }
    return passed(before === undefined ? 'as far as can be seen without --count-read' : 'counted: 1 write');
  },
};

/** Gives a call that nobody waits for any more the time to do what it does. */
async function landed(trial: Trial, before: number | undefined): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    await trial.pause(50);
    if (before !== undefined && (await trial.count()) !== before) return;
  }
}

/** The result, if a probe finds the write. */
async function whatBecameOf(trial: Trial, write: Call): Promise<string | undefined> {
  const until = Date.now() + trial.settings.timeoutMs;
  for (;;) {
    const answer = await trial.probe(write);
    if (answer.kind !== 'probed') throw new NotKept(`A probe was asked, and ${saidOf(answer)}.`);
    if (answer.disposition !== 'in_progress') return answer.result;
    if (Date.now() > until) throw new NotKept('A probe still says in_progress when the deadline is over.');
    await trial.pause(200);
  }
}
