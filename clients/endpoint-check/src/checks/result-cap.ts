import { type Check, failed, passed, warned } from '../check.ts';
import { canonicalArgs } from '../samples.ts';

export const resultCap: Check = {
  id: 'result-cap',
  sends: 'a write and, if there is one, a read',
  expects: 'answers of at most `--max-response-bytes` (262144, unless the catalog says otherwise)',
  why: 'What is longer is cut off: a read has failed then, and of a write that was made nobody knows the outcome.',
  mend: 'Return what a reader needs, with a `limit` and `truncated`; refuse, before anything is done, what would be too long.',
  needs: ['answers-a-write', 'answers-a-read'],
  async run(trial) {
    const { read, maxResponseBytes: cap } = trial.settings;
    const calls = [trial.newWrite(), ...(read ? [trial.newRead(read.tool, canonicalArgs(read.args))] : [])];
    const said: string[] = [];
    let largest = 0;
    for (const call of calls) {
      const { bytes } = await trial.send(call);
      const what = `${call.mode === 'read' ? 'the read' : 'the write'} ${call.tool}`;
      if (bytes > cap) return failed(`The answer to ${what} has ${bytes} bytes or more, and at most ${cap} are read.`);
      said.push(`${bytes} bytes for ${what}`);
      largest = Math.max(largest, bytes);
    }
    const told = `${said.join(', ')}; at most ${cap} are read`;
    return largest > cap / 2 ? warned(`More than half of the cap: ${told}.`) : passed(told);
  },
};
