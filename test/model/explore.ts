/** Breadth-first search over a model: keeps every state, finds a shortest trace to each kind of violation. */
import { describeState, describeStep, pairOf } from './labels.ts';
import type { Model, Step } from './model.ts';
import { settled } from './reading.ts';
import { createStateSet } from './state-set.ts';

export interface Found {
  readonly what: string;
  readonly trace: readonly string[];
}

export interface Report {
  readonly states: number;
  readonly steps: number;
  readonly depth: number;
  readonly found: readonly Found[];
  /** A shortest trace to a state from which the fair steps cannot settle everything (I5); undefined when there is none. */
  readonly stuck: readonly string[] | undefined;
  /** State/effect pairs that were reached. */
  readonly pairs: readonly string[];
}

/** After one of these the record or the world is wrong, and nothing more is concluded from that state. */
const SPOILS = /^I(3|4|6|7|8) /;

export interface ExploreOptions {
  /** Look for states that can never settle (needs memory for the fair steps). Default true. */
  readonly liveness?: boolean;
  /** Sees every step from every state that is not spoilt. */
  readonly visit?: (from: Uint8Array, step: Step) => void;
}

export function explore(model: Model, { liveness = true, visit }: ExploreOptions = {}): Report {
  const m = model.setting;
  const states = createStateSet(m.size);
  const parents: number[] = [-1];
  const via: number[] = [0];
  const bad = new Set<number>();
  const fair: number[][] = [];
  const pairs = new Set<string>();
  const found = new Map<string, Found>();
  const trace = (id: number): string[] => {
    const ids: number[] = [];
    for (let x = id; x > 0; x = parents[x] ?? -1) ids.push(x);
    return ids.reverse().map((x) => `${describeStep(m, via[x] ?? 0)}   {${describeState(m, states.get(x))}}`);
  };
  states.add(model.initial());
  let steps = 0;
  let depth = 0;
  let levelEnd = 1;
  for (let id = 0; id < states.count(); id++) {
    if (id === levelEnd) {
      depth++;
      levelEnd = states.count();
    }
    if (bad.has(id)) continue; // nothing is concluded from a state that is already wrong
    const from = states.get(id).slice();
    for (let a = 0; a < m.world.actions; a++) pairs.add(pairOf(from, a));
    const targets: number[] = [];
    model.successors(from, (step) => {
      steps++;
      visit?.(from, step);
      const fresh = states.count();
      const to = states.add(step.next);
      if (to === fresh) {
        parents.push(id);
        via.push(step.label);
        if (step.violations.some((what) => SPOILS.test(what))) bad.add(to);
      }
      for (const what of step.violations) {
        if (found.has(what)) continue;
        const last = `${describeStep(m, step.label)}   {${describeState(m, step.next)}}`;
        found.set(what, { what, trace: [...trace(id), last] });
      }
      if (step.fair) targets.push(to);
    });
    if (liveness) fair[id] = targets;
  }
  const stuckId = liveness ? firstStuck(states.count(), fair, (id) => bad.has(id) || settled(m, states.get(id))) : -1;
  return {
    states: states.count(),
    steps,
    depth,
    found: [...found.values()],
    stuck: stuckId < 0 ? undefined : trace(stuckId),
    pairs: [...pairs].sort(),
  };
}

/** I5: backwards from the settled states over the fair steps, to a fixed point. */
function firstStuck(count: number, fair: readonly number[][], isSettled: (id: number) => boolean): number {
  const good = new Uint8Array(count);
  for (let id = 0; id < count; id++) if (isSettled(id)) good[id] = 1;
  for (let changed = true; changed; ) {
    changed = false;
    for (let id = count - 1; id >= 0; id--) {
      if (good[id] || !fair[id]?.some((to) => good[to])) continue;
      good[id] = 1;
      changed = true;
    }
  }
  return good.indexOf(0);
}
