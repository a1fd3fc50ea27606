/**
 * How an intent goes from an action that no longer holds it, which must still be as it was read, to the one that a statement made
 * by `withAction` brings. `id` and `version` are the parameters that name the old holder; `only` is a further condition.
 */

/** The holder ended, and its window is over. */
export function releasedSettled(id: string, version: string, only = ''): string {
  return `released as (
      select a.id from action a where a.id = ${id} and a.tenant_id = $2 and a.version = ${version}${only}
      for no key update
    )`;
}

/**
 * The holder is PENDING past its expiry: it is expired with its event. It needs no more attention than before, since it is not
 * in doubt.
 */
export function releasedOverdue(id: string, version: string, only = ''): string {
  return `released as (
      update action a set state = 'EXPIRED', version = a.version + 1, settled_at = now(), sweep_at = null
      where a.id = ${id} and a.tenant_id = $2 and a.version = ${version}
        and a.state = 'PENDING' and a.effect <> 'UNKNOWN' and a.expires_at <= now()${only}
      returning a.id, a.version, a.effect, a.preview_digest
    ), expired as (
      insert into event (action_id, version, tenant_id, type, from_state, to_state, effect, preview_digest, at)
      select id, version, $2, 'EXPIRED', 'PENDING', 'EXPIRED', effect, preview_digest, now() from released
    )`;
}

export const passedOn = `held as (
      update intent i set action_id = $1
      from released r
      where i.intent_hash = $16 and i.tenant_id = $2 and i.action_id = r.id
      returning i.action_id
    )`;
