import { assertNoEffect, type Check, failed, passed, saidOf, warned } from '../check.ts';

/** Seconds; Tether believes that nothing comes any more when it is that long after the deadline. */
const late = 30;

export const lateCall: Check = {
  id: 'late-call',
  sends: `a write whose deadline was ${late} seconds ago`,
  expects: '425 (ABORTED over Connect and gRPC), and nothing done',
  why: 'A call can be held up on its way. By then a person may have been told that it did not land, and have confirmed it again.',
  mend:
    'Compare `deadline` with the clock of your database, in the statement that records the key, and roll back. Answer 425, not a ' +
    'refusal: nothing was wrong but the time. Keep the clock on time.',
  needs: ['answers-a-write'],
  async run(trial) {
    const before = await trial.count();
    const write = trial.newWrite({ deadline: new Date(Date.now() - late * 1_000) });
    const answer = await trial.send(write, { what: `${late} s late` });
    if (answer.kind === 'turned-away') {
      await assertNoEffect(trial, write, before, 'A call after its deadline');
      return answer.again
        ? passed()
        : warned(`It was turned away with ${answer.status}; 425 says that it may be confirmed again.`);
    }
    if (answer.kind === 'refused' && answer.refusal.effect === 'none') {
      await assertNoEffect(trial, write, before, 'A call after its deadline');
      return warned(`It was refused for good (${answer.status}); 425 (ABORTED) says that it may be confirmed again.`);
    }
    return failed(`A call after its deadline was to be turned away, and ${saidOf(answer)}.`);
  },
};
