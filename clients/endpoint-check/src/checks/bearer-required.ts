import { assertNoEffect, type Check, failed, passed, saidOf, skipped, warned } from '../check.ts';

export const bearerRequired: Check = {
  id: 'bearer-required',
  sends: 'writes without the bearer token and with another one, signed if there is a secret',
  expects: '401 (UNAUTHENTICATED) and nothing done',
  why: 'Whoever can reach the endpoint could otherwise skip the person who confirms.',
  mend: 'Compare `Authorization: Bearer …` with the token, in constant time, before anything else, and answer 401.',
  with: '--bearer-env or --bearer-file',
  needs: ['answers-a-write'],
  async run(trial) {
    if (trial.settings.bearer === undefined) return skipped('No bearer token was given.');
    const others = new Set<string>();
    for (const [what, bearer] of [
      ['without the token', false],
      ['with another token', 'not-the-token'],
    ] as const) {
      const write = trial.newWrite();
      const before = await trial.count();
      const answer = await trial.send(write, { bearer, what });
      if (answer.kind !== 'turned-away') return failed(`A write ${what} was to be turned away, and ${saidOf(answer)}.`);
      if (!answer.unauthenticated) others.add(answer.status);
      await assertNoEffect(trial, write, before, `A write ${what}`);
    }
    if (others.size === 0) return passed();
    return warned(
      `Turned away, but with ${[...others].join(', ')}: 401 (UNAUTHENTICATED) says that the token is the reason.`,
    );
  },
};
