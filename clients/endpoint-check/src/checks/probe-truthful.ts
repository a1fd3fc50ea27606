import { type Check, failed, passed, resultOf, saidOf, skipped, warned } from '../check.ts';
import { parsed } from '../protocol/json-answer.ts';

export const probeTruthful: Check = {
  id: 'probe-truthful',
  sends: 'a probe of a write that was made, and one of a key that never came',
  expects: '`executed` with the result, byte for byte as it was answered, and `not_executed`',
  why: 'When an answer was lost, this is what Tether believes. A "not executed" of something that was done makes it happen twice.',
  mend: 'Answer from the ledger, by `request_id`. `unknown` is for a ledger that is gone; `executed` without a result, for one that keeps none.',
  with: '--probe',
  needs: ['answers-a-write', 'same-key-twice'],
  async run(trial) {
    if (!trial.settings.probe) return skipped('There is no --probe.');
    const write = trial.newWrite();
    const result = resultOf(await trial.send(write), 'A write');
    const done = await trial.probe(write);
    if (done.kind !== 'probed' || done.disposition !== 'executed') {
      return failed(`A write that was made was to be executed, and ${saidOf(done)}.`);
    }
    if (done.result !== undefined && canonical(done.result) !== canonical(result)) {
      return failed(`The probe tells another result than the write was answered with: ${done.result.slice(0, 120)}.`);
    }
    const never = trial.newWrite();
    const unknown = await trial.probe(never);
    trial.notDone(never);
    if (unknown.kind !== 'probed') return failed(`A probe of a key that never came: ${saidOf(unknown)}.`);
    if (unknown.disposition === 'unknown')
      return warned('Of a key that never came it says unknown: no doubt is ever cleared by it.');
    if (unknown.disposition !== 'not_executed')
      return failed(`A key that never came was to be not_executed, and ${saidOf(unknown)}.`);
    if (done.result === undefined)
      return warned('`executed` comes without the result: nobody learns it when an answer was lost.');
    return done.result === result ? passed() : warned('The result is told as another text than it was answered with.');
  },
};

function canonical(json: string): string {
  const value = parsed(json);
  return value === undefined ? json : JSON.stringify(value);
}
