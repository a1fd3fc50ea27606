import { type Check, failed, passed, saidOf } from '../check.ts';
import { leakIn } from './leaks.ts';

export const noInternals: Check = {
  id: 'no-internals',
  sends:
    'what is no call: bytes that cannot be parsed, members that are missing or wrong, a tool and a method that there are not, another content-type',
  expects: 'a status 4xx or a refusal, without stack traces and without errors of databases',
  why: 'A 500 leaves the outcome in doubt for what could not be a write at all, and a stack trace shows strangers what is inside.',
  mend: 'Check the envelope before anything else, and answer 400 with a sentence; let no framework answer with its error page for development.',
  needs: ['answers-a-write'],
  async run(trial) {
    const { vendor } = trial;
    const sample = trial.newWrite();
    const all = vendor.protocol.malformed(sample);
    const faults: string[] = [];
    for (const { what, message, mayFail = false, mayAnswer = false } of all) {
      const answer = await vendor.sendMessage(message, what);
      const leak = leakIn(answer.text);
      if (leak !== undefined) return failed(`To ${what} it answered with the inside of the program: ${leak}`);
      const fine =
        ['turned-away', 'refused'].includes(answer.kind) || (mayFail && answer.kind === 'failed') || mayAnswer;
      if (!fine) return failed(`It was sent ${what}, which was to be turned away, and ${saidOf(answer)}.`);
      faults.push(what);
    }
    trial.notDone(sample);
    return passed(`${faults.length} of them were turned away`);
  },
};
