import { type Check, failed, passed, saidOf, skipped, warned } from '../check.ts';
import { canonicalArgs } from '../samples.ts';
import { leakIn } from './leaks.ts';

export const refusalShape: Check = {
  id: 'refusal-shape',
  sends: 'the write with `--refused-args`, which the endpoint is to refuse by its own rules',
  expects:
    '2xx with `error` and `message` (over Connect and gRPC `refusal`), or 400, 409, 410, 412, 422 with a JSON `error` or `message`; nothing done',
  why: 'A refusal is told to the model, and its next move is computed from it. Of a 500 it hears nothing, and the write is in doubt.',
  mend: 'Answer 200 with a code in `error` and a sentence in `message` that names the rule, the value and the limit, never with a stack.',
  with: '--refused-args',
  needs: ['answers-a-write'],
  async run(trial) {
    const { refusedArgs } = trial.settings;
    if (refusedArgs === undefined) return skipped('There is no --refused-args.');
    const before = await trial.count();
    const answer = await trial.send(trial.newWrite({ args: canonicalArgs(refusedArgs) }));
    if (answer.kind !== 'refused') {
      const hint = answer.kind === 'result' ? ' Are these arguments that it refuses?' : '';
      return failed(`--refused-args were to be refused, and ${saidOf(answer)}.${hint}`);
    }
    const leak = leakIn(answer.text);
    if (leak !== undefined) return failed(`The refusal has the inside of the program in it: ${leak}`);
    const after = await trial.count();
    const { code, message, effect } = answer.refusal;
    if (after !== before && effect === 'none') return failed(`It was refused, and a write was counted all the same.`);
    if (message === undefined)
      return warned('The refusal has a code and no message: the model can only pass the code on.');
    if (code === undefined) return warned('The refusal has a message and no code: nothing stable to go by.');
    return passed(`${code}: ${message}`);
  },
};
