import { describe, expect, test } from 'vitest';
import { type Experiment, holes, limits, proofs } from './experiments.ts';
import { explore } from './explore.ts';
import { createModel } from './model.ts';
import { mended, smallWorld } from './world.ts';

const wide = process.env.MODEL_WORLDS === 'wide';

function chosen(experiments: readonly Experiment[]): [string, Experiment][] {
  return experiments.filter((each) => wide || !each.wide).map((each) => [each.name, each]);
}

/** What is found, with a shortest trace to each. */
function findings({ world, rules, finds }: Experiment): string[] {
  const liveness = finds.length === 0 || finds.includes('I5');
  const report = explore(createModel({ ...mended, ...rules }, { ...smallWorld, ...world }), { liveness });
  const stuck = report.stuck ? [{ what: 'I5 can never settle', trace: report.stuck }] : [];
  return [...report.found, ...stuck].map(({ what, trace }) => [what, ...trace].join('\n  '));
}

const timeout = wide ? 3_600_000 : 60_000;

describe('the rules of the design leave nothing to find', () => {
  test.each(chosen(proofs))('%s', (_, experiment) => expect(findings(experiment)).toEqual([]), timeout);
});

describe('the model finds what a rule is there for, once the rule is gone', () => {
  test.each(chosen(holes))(
    '%s',
    (_, experiment) => {
      const found = findings(experiment);
      for (const what of experiment.finds) expect(found).toContainEqual(expect.stringMatching(new RegExp(`^${what}`)));
    },
    timeout,
  );
});

describe('what no rule can mend is found too', () => {
  test.each(chosen(limits))(
    '%s',
    (_, experiment) => {
      const found = findings(experiment);
      for (const what of experiment.finds) expect(found).toContainEqual(expect.stringMatching(new RegExp(`^${what}`)));
    },
    timeout,
  );
});
