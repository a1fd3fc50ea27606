import type { Logger } from 'pino';
import type { Action, Observed } from '../domain/action.ts';
import type { ActionStore } from '../lifecycle/ports/action-store.ts';
import type { EventType } from '../lifecycle/ports/events.ts';

/** One transition that was written. */
export interface Moved {
  readonly action: Action;
  readonly event: EventType;
  /** Null for a new action. */
  readonly from: Action['state'] | null;
}

/**
 * The record of actions, telling of every transition that was written: a line at level info, but for the claim, which its
 * settlement follows. Who did it and with which arguments stands in the audit trail.
 */
export function watchActions(store: ActionStore, log: Logger, moved: (what: Moved) => void): ActionStore {
  function tell(event: EventType, from: Action | null, { action }: Pick<Observed, 'action'>): void {
    moved({ action, event, from: from?.state ?? null });
    const level = event === 'CLAIMED' ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    const { id, tenantId, tool, state, effect, attempts } = action;
    const facts = { action_id: id, tenant_id: tenantId, tool, event, from: from?.state, to: state, effect };
    log[level]({ ...facts, attempts: attempts.length }, 'an action moved');
  }
  return {
    ...store,
    async insert(action) {
      const inserted = await store.insert(action);
      if (inserted.kind === 'inserted') tell('STAGED', null, inserted.observed);
      return inserted;
    },
    async claim(claim) {
      const claimed = await store.claim(claim);
      if (claimed.kind === 'claimed') tell('CLAIMED', claim.action, claimed);
      return claimed;
    },
    async apply(change) {
      const written = await store.apply(change);
      if (written !== undefined) tell(change.event, change.action, written);
      return written;
    },
    async amend(old, replacement) {
      const amended = await store.amend(old, replacement);
      if (amended.kind === 'amended') {
        tell('SUPERSEDED', old, amended.superseded);
        tell('STAGED', null, amended.observed);
      }
      return amended;
    },
  };
}
