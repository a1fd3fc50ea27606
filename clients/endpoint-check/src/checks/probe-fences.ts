import { type Check, failed, passed, resultOf, saidOf, skipped } from '../check.ts';

export const probeFences: Check = {
  id: 'probe-fences',
  sends:
    'a probe of attempt 2 of a key that never came; then, after `not_executed`, attempts 1 and 2 with a deadline that is not over, and attempt 3',
  expects: '425 (ABORTED) and nothing done for attempts 1 and 2, a result for attempt 3',
  why: '`not_executed` is a promise: a person confirms again because of it. The write that comes late all the same would be the second one.',
  mend: 'Record, under the lock that writes take, up to which attempt the key is withdrawn; let each write look at it before it commits.',
  with: '--probe',
  needs: ['answers-a-write', 'same-key-twice', 'probe-truthful'],
  async run(trial) {
    if (!trial.settings.probe) return skipped('There is no --probe.');
    const before = await trial.count();
    const write = trial.newWrite();
    const asked = await trial.probe(write, 2);
    if (asked.kind === 'probed' && asked.disposition === 'unknown')
      return skipped('It promises nothing: it says unknown.');
    if (asked.kind !== 'probed' || asked.disposition !== 'not_executed')
      return failed(`A key that never came was to be not_executed, and ${saidOf(asked)}.`);
    for (const attempt of [1, 2]) {
      const answer = await trial.send({ ...write, attempt }, { what: 'after "not executed" for attempt 2' });
      if (answer.kind !== 'turned-away') {
        return failed(
          `Attempt ${attempt} came after "not executed" was said of attempt 2. It was to be turned away, and ${saidOf(answer)}.`,
        );
      }
    }
    const between = await trial.count();
    if (between !== before) return failed('An attempt that is withdrawn was turned away and carried out all the same.');
    resultOf(await trial.send({ ...write, attempt: 3 }), 'Attempt 3, which nobody asked about,');
    return passed();
  },
};
