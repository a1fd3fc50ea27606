import { LRUCache } from 'lru-cache';
import type { ActionId } from '../../domain/action.ts';
import type { Marked } from './mark.ts';

/** What all of them hold in texts, characters; what is made of an action for its callers weighs up to a dozen times as much beside it. */
const holdAtMost = 4 * 1024 * 1024;

/** The actions that were read last. */
export interface Remembered {
  get(tenantId: string, id: ActionId): Marked | undefined;
  set(marked: Marked): void;
  forget(tenantId: string, id: ActionId): void;
}

export function createRemembered(): Remembered {
  const kept = new LRUCache<string, Marked>({
    maxSize: holdAtMost,
    maxEntrySize: holdAtMost / 8,
    sizeCalculation: ({ weight }) => weight,
  });
  return {
    get: (tenantId, id) => kept.get(keyOf(tenantId, id)),
    set: (marked) => void kept.set(keyOf(marked.action.tenantId, marked.action.id), marked),
    forget: (tenantId, id) => void kept.delete(keyOf(tenantId, id)),
  };
}

/** Ids are as long as one another, so no two keys run together. */
function keyOf(tenantId: string, id: ActionId): string {
  return id + tenantId;
}
