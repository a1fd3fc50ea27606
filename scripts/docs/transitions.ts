/** The state machine as documents show it: a picture, and tables of states × events. All are read off `everyStep`. */
import { type Effect, type State, states } from '../../server/domain/action.ts';
import type { Life } from '../../server/domain/transition.ts';
import { effectsOfStates, everyStep, type Happening, happenings } from './every-life.ts';

const steps = everyStep();
const effectsOf = effectsOfStates(steps);

/** A Mermaid diagram of every change of state. */
export function picture(): string {
  const arrows = states.flatMap((from) =>
    states
      .filter((to) => to !== from)
      .flatMap((to) => {
        const why = happenings.filter((each) =>
          steps.some((step) => step.happening === each && step.from.state === from && step.to?.state === to),
        );
        return why.length === 0 ? [] : [`    ${from} --> ${to}: ${why.join(', ').replaceAll(':', '')}`];
      }),
  );
  return ['```mermaid', 'stateDiagram-v2', '    [*] --> PENDING: stage', ...arrows, '```'].join('\n');
}

const byPeople: readonly Happening[] = [
  'claim',
  'reject',
  'amend',
  'recheck differs',
  'expiry',
  'landed',
  'not landed',
];
const byEndpoints = happenings.filter((each) => !byPeople.includes(each));

/** What people, rechecks, probes and the clock do: a row for each state and effect, those to which all the same happens in one. */
export function tableOfDecisions(): string {
  return table(byPeople);
}

/** What endpoints answer, in time or not: the same rows. */
export function tableOfAnswers(): string {
  return table(byEndpoints);
}

function table(columns: readonly Happening[]): string {
  const rows = new Map<string, string[]>();
  for (const state of states) {
    for (const effect of effectsOf.get(state) ?? []) {
      const row = `${effect} | ${columns.map((each) => cell(state, effect, each)).join(' | ')}`;
      rows.set(row, [...(rows.get(row) ?? []), state]);
    }
  }
  return [
    `| state | effect | ${columns.join(' | ')} |`,
    `|${'---|'.repeat(columns.length + 2)}`,
    ...[...rows].map(([row, its]) => `| ${its.join(', ')} | ${row} |`),
  ].join('\n');
}

function cell(state: State, effect: Effect, happening: Happening): string {
  const here = steps.filter(
    (step) => step.happening === happening && step.from.state === state && step.from.effect === effect,
  );
  const found = new Set(here.map(({ to }) => (to === undefined ? '–' : place(state, effect, to))));
  // What is refused in some lives of a cell and not in others is told by what it comes to where it is not.
  if (found.size > 1) found.delete('–');
  return [...found].sort().join(' · ') || '–';
}

function place(state: State, effect: Effect, to: Life): string {
  if (to.state !== state) return (effectsOf.get(to.state)?.length ?? 0) > 1 ? `${to.state} (${to.effect})` : to.state;
  return to.effect === effect ? 'recorded' : `recorded (${to.effect})`;
}
