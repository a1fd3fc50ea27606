import { type Check, passed, resultOf } from '../check.ts';

export const answersAWrite: Check = {
  id: 'answers-a-write',
  sends: 'one write, as Tether sends it after a person confirmed it',
  expects: 'a result: status 2xx and any valid JSON without `error`; over Connect and gRPC `result_json`',
  why: 'Anything else is read as a refusal or as a failure, whatever the endpoint did.',
  mend:
    'Look at what was received. If it is a refusal, `--args` are not what the endpoint accepts, or were used up by an earlier run. ' +
    'If it is 401, it asks for a signature or a token that was not given.',
  needs: [],
  async run(trial) {
    resultOf(await trial.send(trial.newWrite()), 'A write');
    const before = await trial.count();
    if (before === undefined) return passed();
    resultOf(await trial.send(trial.newWrite()), 'A write');
    const after = await trial.count();
    if (after === before + 1) return passed();
    const why = `One write was made, and --count-read said ${before} before and ${after} after: it must count 1 for each.`;
    return { outcome: 'failed', why };
  },
};
