import { assertNothingDone, type Check, passed, resultOf, warned } from '../check.ts';

export const tenantsAreApart: Check = {
  id: 'tenants-are-apart',
  sends: 'a write; then the same key and arguments again, for another tenant',
  expects: 'anything but the result of the first tenant',
  why: "Keys are ids that nobody can guess, so this is a second lock and not the first. But an endpoint of several tenants that looks at the key alone hands one of them another one's result.",
  mend: 'Put the tenant into the key of the ledger, or record it beside the key and refuse another one. An endpoint that serves one tenant only can leave it.',
  needs: ['answers-a-write', 'same-key-twice'],
  async run(trial) {
    const write = trial.newWrite();
    const first = resultOf(await trial.send(write), 'A write');
    const tenant = { ...write.tenant, id: `${write.tenant.id}-2` };
    const answer = await trial.send({ ...write, tenant }, { what: 'for another tenant' });
    if (answer.kind === 'result') {
      return answer.json === first
        ? warned(
            "Another tenant got the first one's result for its key; that is fine if this endpoint serves one tenant only.",
          )
        : passed('another tenant made a write of its own');
    }
    assertNothingDone(answer, 'The key of another tenant');
    return passed();
  },
};
