import { assertNothingDone, type Check, failed, passed, resultOf } from '../check.ts';

export const sameKeyOtherArguments: Check = {
  id: 'same-key-other-arguments',
  sends: 'a write; then its key again, with the arguments of another write',
  expects: 'a refusal or another status that says that nothing was done; with `--count-read`, one write',
  why: 'A key belongs to one write. Who answers another one with the old result says that something was done which was not.',
  mend: 'Record tool and arguments (or a digest of them) beside the key, and refuse a key that comes with others.',
  needs: ['answers-a-write', 'same-key-twice'],
  async run(trial) {
    const write = trial.newWrite();
    const first = resultOf(await trial.send(write), 'A write');
    const before = await trial.count();
    const other = trial.newWrite({ requestId: write.requestId, attempt: 2 });
    if (other.args === write.args) return { outcome: 'skipped', why: '--args give no two different arguments.' };
    const answer = await trial.send(other);
    if (answer.kind === 'result') {
      const how = answer.json === first ? 'got the result of the first' : 'was carried out';
      return failed(`Another write under a key that was used ${how}.`);
    }
    assertNothingDone(answer, 'Another write under a key that was used');
    const after = await trial.count();
    if (after !== before)
      return failed(`It was turned away and carried out all the same: ${before} writes before, ${after} after.`);
    trial.notDone(other);
    return passed();
  },
};
