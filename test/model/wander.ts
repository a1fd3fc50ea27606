/** Random walks through a model: where a world is too wide to look at every state of, and a sample of it will do. */
import { L, readLabel } from './labels.ts';
import type { Model, Step } from './model.ts';

export interface WanderOptions {
  readonly walks: number;
  /** Steps of each walk, at most. */
  readonly length: number;
  /** The same seed, the same walks. */
  readonly seed: number;
  readonly visit: (from: Uint8Array, step: Step) => void;
}

/** What ends a life or stops an attempt: taken seldom, or no walk would get far. */
const endings: readonly number[] = [L.pastExpiry, L.reject, L.amend, L.crash, L.external, L.recheckDiffers];

/** Of every state that is met, all possible steps are visited; one of them is taken: first a kind of step, then one of that kind. */
export function wander(model: Model, { walks, length, seed, visit }: WanderOptions): void {
  const next = createRandom(seed);
  for (let k = 0; k < walks; k++) {
    let state = model.initial();
    for (let n = 0; n < length; n++) {
      const kinds = new Map<number, Step[]>();
      model.successors(state, (step) => {
        visit(state, step);
        const { type } = readLabel(step.label);
        kinds.set(type, [...(kinds.get(type) ?? []), step]);
      });
      if (next(16) > 0 && [...kinds.keys()].some((kind) => !endings.includes(kind))) {
        for (const kind of endings) kinds.delete(kind);
      }
      const ofKind = [...kinds.values()][next(kinds.size)];
      const taken = ofKind?.[next(ofKind.length)];
      if (taken === undefined) break;
      state = taken.next;
    }
  }
}

/** Numbers from 0 up to below a bound: a linear congruential generator, good enough to wander. */
function createRandom(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
