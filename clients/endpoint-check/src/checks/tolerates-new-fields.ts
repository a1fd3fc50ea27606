import { type Check, passed, resultOf } from '../check.ts';
import { canonicalArgs } from '../samples.ts';

export const toleratesNewFields: Check = {
  id: 'tolerates-new-fields',
  sends: 'a call with members in its envelope that are in no document yet (a read if there is one, else a write)',
  expects: 'the same answer as ever',
  why: 'The contract grows by new members. An endpoint that turns them away stops on the day that Tether is updated.',
  mend: 'Read the members that you know, and let the others be; a strict schema of the envelope is out of place.',
  needs: ['answers-a-write', 'answers-a-read'],
  async run(trial) {
    const { read } = trial.settings;
    const call = read ? trial.newRead(read.tool, canonicalArgs(read.args)) : trial.newWrite();
    const answer = await trial.send({ ...call, fromTheFuture: true }, { what: 'with members that are new' });
    resultOf(answer, 'A call with members that are in no document yet');
    return passed();
  },
};
