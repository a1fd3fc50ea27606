import type { ActionId } from '../domain/action.ts';
import type { ActionFilter } from './ports/action-store.ts';

/** What a stream told of an action last: up to which version, and whether it fitted the filter then. */
interface Told {
  readonly version: number;
  readonly fitted: boolean;
}

/**
 * What a stream has told of actions, as far as it decides what it tells of them later; a stream that lasts must not grow with all
 * that ever happened. The trail is read in order, so that what it has told once it does not tell again.
 */
export interface ToldActions {
  of(id: ActionId): Told | undefined;
  /** In the snapshot: the changes that led there may stand in the trail still. */
  shown(id: ActionId, version: number): void;
  /** From the trail; `fits`: after that change. */
  changed(id: ActionId, version: number, fits: boolean): void;
  readonly size: number;
}

/** `resumed`: an earlier stream may have told of actions that this one has not. */
export function createToldActions({ states, needsAttention }: ActionFilter, resumed: boolean): ToldActions {
  const told = new Map<ActionId, Told>();
  /** Without it the filter looks only at what no change changes. */
  const ofStates = states !== undefined || needsAttention === true;
  // The states of an event say whether the action fitted before it; that it needed a person they do not.
  const alsoOfOthers = needsAttention === true && resumed;
  return {
    of: (id) => told.get(id),
    shown: (id, version) => void told.set(id, { version, fitted: true }),
    changed(id, version, fits) {
      if (ofStates && (fits || alsoOfOthers)) told.set(id, { version, fitted: fits });
      else told.delete(id);
    },
    get size() {
      return told.size;
    },
  };
}
