import { type Check, passed, resultOf, skipped } from '../check.ts';
import { canonicalArgs } from '../samples.ts';

export const answersARead: Check = {
  id: 'answers-a-read',
  sends: 'one read, with `mode` `read`, a key of its own and no `action_id`',
  expects: 'a result: status 2xx and any valid JSON without `error`',
  why: 'Reads are what a model decides by, and what preconditions and verifications of writes are made of.',
  mend: 'Look at what was received. An answer with `error` in it is an answer too: then `--read-args` ask for what there is not.',
  with: '--read',
  needs: [],
  async run(trial) {
    const { read } = trial.settings;
    if (read === undefined) return skipped('There is no --read.');
    resultOf(await trial.send(trial.newRead(read.tool, canonicalArgs(read.args))), 'A read');
    return passed();
  },
};
