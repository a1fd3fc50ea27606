/**
 * What keeps a trail: once for each statement, so that it costs inserts nothing. Where the server runs as another role than the
 * tables' owner, its role may not do any of this in the first place; where it is the owner, this stops mistakes, and nobody who
 * means it. Truncating is refused by a trigger that MikroORM has no word for, in the migration.
 */
export function appendOnly(table: string) {
  return {
    name: 'append_only',
    timing: 'before' as const,
    events: ['update' as const, 'delete' as const],
    forEach: 'statement' as const,
    body: appendOnlyBody(table),
  };
}

/** Only the functions of retention set `tether.retaining`, for as long as they run. */
function appendOnlyBody(table: string): string {
  return (
    "if tg_op <> 'DELETE' or coalesce(current_setting('tether.retaining', true), '') <> 'on' then " +
    `raise exception 'rows of ${table} are never changed, and nothing but retention deletes them' using errcode = '42501'; ` +
    'end if; return null;'
  );
}
