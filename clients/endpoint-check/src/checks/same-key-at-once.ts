import { type Check, failed, passed, resultOf, saidOf, warned } from '../check.ts';

export const sameKeyAtOnce: Check = {
  id: 'same-key-at-once',
  sends: 'the same write several times at once (`--at-once`), each over a connection of its own',
  expects: 'one result for all of them; with `--count-read`, one write',
  why: 'A duplicate need not wait until the first one is done. Who looks for the key and then writes, without a lock, does it twice.',
  mend: 'Take a lock of the key in the transaction, before you look for it: an advisory lock, or a row that is inserted first.',
  needs: ['answers-a-write', 'same-key-twice'],
  async run(trial) {
    const { atOnce } = trial.settings;
    const write = trial.newWrite();
    const before = await trial.count();
    const answers = await Promise.all(Array.from({ length: atOnce }, () => trial.send(write)));
    const waved = answers.filter((answer) => answer.kind === 'turned-away' && answer.again);
    const others = answers.filter((answer) => answer.kind !== 'result' && !waved.includes(answer));
    const [other] = others;
    if (other !== undefined) return failed(`Of ${atOnce} at once, ${others.length} got no result: ${saidOf(other)}.`);
    const results = new Set(answers.flatMap((answer) => (answer.kind === 'result' ? [answer.json] : [])));
    if (results.size > 1) return failed(`${atOnce} at once were answered with ${results.size} different results.`);
    const later = resultOf(await trial.send({ ...write, attempt: 2 }), 'The same key, when all were answered');
    if (results.size === 1 && !results.has(later)) return failed('Afterwards the same key has another result.');
    const after = await trial.count();
    if (before !== undefined && after !== undefined && after !== before + 1) {
      return failed(`${atOnce} at once under one key, and ${after - before} writes were counted.`);
    }
    if (waved.length === 0) return passed();
    return warned(
      `${waved.length} of ${atOnce} were turned away, as if they were worth repeating; better is to wait and give the result.`,
    );
  },
};
