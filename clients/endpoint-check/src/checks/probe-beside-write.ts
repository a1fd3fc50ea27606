import { type Check, failed, passed, saidOf, skipped } from '../check.ts';

/** Which comes first is chance. */
const tries = 3;

export const probeBesideWrite: Check = {
  id: 'probe-beside-write',
  sends: `a write and a probe of it at the same time, ${tries} times`,
  expects:
    '`in_progress` or `executed` and a result, or `not_executed` and 425 (ABORTED); never `not_executed` and a result',
  why: 'The probe may look into the ledger just before the write commits. Then its answer is wrong a moment later.',
  mend: 'Try for the lock that writes take, and answer `in_progress` when somebody has it; put up the fence under that lock.',
  with: '--probe',
  needs: ['answers-a-write', 'same-key-twice', 'probe-truthful', 'probe-fences'],
  async run(trial) {
    if (!trial.settings.probe) return skipped('There is no --probe.');
    const seen: string[] = [];
    for (let turn = 0; turn < tries; turn += 1) {
      const write = trial.newWrite();
      const [done, asked] = await Promise.all([trial.send(write), trial.probe(write)]);
      if (asked.kind !== 'probed') return failed(`A probe beside its write: ${saidOf(asked)}.`);
      seen.push(asked.disposition);
      if (done.kind === 'result') {
        if (asked.disposition === 'not_executed')
          return failed('The probe said not_executed, and the write was answered with a result.');
      } else if (done.kind !== 'turned-away' || asked.disposition !== 'not_executed') {
        return failed(`The probe said ${asked.disposition}, and of the write: ${saidOf(done)}.`);
      }
    }
    return passed(`it said ${[...new Set(seen)].join(', ')}`);
  },
};
