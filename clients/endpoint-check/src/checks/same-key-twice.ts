import { type Check, failed, passed, resultOf } from '../check.ts';

export const sameKeyTwice: Check = {
  id: 'same-key-twice',
  sends: 'a write; then the same attempt again, as a network may double it; then the same key as the next attempt',
  expects: 'the first result each time, byte for byte; with `--count-read`, one write',
  why: 'An answer can be lost after the write was made, and a person may confirm it again. Only your ledger keeps that from being done twice.',
  mend: 'Record `request_id` and the result in the transaction of the write, and answer a known one with that result.',
  needs: ['answers-a-write'],
  async run(trial) {
    const write = trial.newWrite();
    const before = await trial.count();
    const first = resultOf(await trial.send(write), 'A write');
    for (const [attempt, what] of [
      [1, 'The same attempt again'],
      [2, 'The same key as attempt 2'],
    ] as const) {
      const again = resultOf(await trial.send({ ...write, attempt }), what);
      if (again !== first)
        return failed(
          `${what} was answered with another result than the first time: ${shown(first)}, then ${shown(again)}.`,
        );
    }
    const after = await trial.count();
    if (before === undefined || after === undefined) return passed();
    if (after === before + 1) return passed(`counted: ${after - before} write`);
    return failed(`It was sent three times under one key, and ${after - before} writes were counted.`);
  },
};

function shown(json: string): string {
  return json.length > 120 ? `${json.slice(0, 120)}…` : json;
}
