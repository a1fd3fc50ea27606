"""The statements of the ledger, for the table of ledger.sql, which every SDK of Tether's shares.

`HOLD` is what callers with one key wait for; the primary key, with the conditions of `RECORD` and `WITHDRAW`, is what decides.
All columns come back as texts.
"""

# Together they tell one transaction from another: the start of it, and who serves it.
_TRANSACTION = "extract(epoch from now())::text as began, pg_backend_pid()::text as backend"

HOLD = f"""
  select pg_advisory_xact_lock(hashtextextended('tether_ledger:' || %s::text, 0))::text as held, {_TRANSACTION},
    current_setting('transaction_isolation') as isolation"""

# Does not wait: `held` is false when somebody works on it.
TRY_HOLD = f"""
  select pg_try_advisory_xact_lock(hashtextextended('tether_ledger:' || %s::text, 0))::text as held, {_TRANSACTION},
    current_setting('transaction_isolation') as isolation"""

# One row always; `state` is null when there is no entry. A statement of its own: it must see what HOLD waited for.
LOOK = f"""
  select {_TRANSACTION}, extract(epoch from clock_timestamp())::text as now, entry.tenant, entry.tool,
    entry.arguments_digest as digest, entry.attempt::text as attempt, entry.state, entry.result, entry.refusal,
    entry.left_behind::text as left_behind
  from (select 1) as one left join tether_ledger as entry on entry.key = %s::text"""

# Key, tenant, tool, digest, attempt, result, deadline, began, backend. No row: past the deadline, in another transaction than
# HOLD, or not the only one who works on the key.
RECORD = """
  insert into tether_ledger (key, tenant, tool, arguments_digest, attempt, state, result)
  select %s::text, %s::text, %s::text, %s::text, %s::integer, 'applied', %s::text
  where clock_timestamp() < %s::timestamptz and extract(epoch from now())::text = %s::text
    and pg_backend_pid()::text = %s::text
  on conflict (key) do update
    set arguments_digest = excluded.arguments_digest, attempt = excluded.attempt, state = 'applied',
      result = excluded.result, refusal = null, updated_at = clock_timestamp()
    where tether_ledger.state <> 'applied' and tether_ledger.attempt < excluded.attempt
      and tether_ledger.tenant = excluded.tenant and tether_ledger.tool = excluded.tool
  returning 'yes' as done"""

# Key, tenant, tool, digest, attempt, refusal, whether it left something behind.
RECORD_REFUSAL = """
  insert into tether_ledger (key, tenant, tool, arguments_digest, attempt, state, refusal, left_behind)
  values (%s::text, %s::text, %s::text, %s::text, %s::integer, 'refused', %s::text, %s::boolean)
  on conflict (key) do update
    set arguments_digest = excluded.arguments_digest, attempt = excluded.attempt, state = 'refused',
      refusal = excluded.refusal, left_behind = tether_ledger.left_behind or excluded.left_behind,
      updated_at = clock_timestamp()
    where tether_ledger.state <> 'applied' and tether_ledger.attempt < excluded.attempt
      and tether_ledger.tenant = excluded.tenant and tether_ledger.tool = excluded.tool
  returning 'yes' as done"""

# Key, tenant, tool, attempt. No row: a write was recorded meanwhile.
WITHDRAW = """
  insert into tether_ledger (key, tenant, tool, attempt, state)
  values (%s::text, %s::text, %s::text, %s::integer, 'withdrawn')
  on conflict (key) do update
    set attempt = excluded.attempt, state = 'withdrawn', refusal = null, updated_at = clock_timestamp()
    where tether_ledger.state <> 'applied' and tether_ledger.attempt < excluded.attempt
      and tether_ledger.tenant = excluded.tenant and tether_ledger.tool = excluded.tool
  returning 'yes' as done"""

# Days. A batch of what has not been touched for longer; one row with how many went.
DELETE_OLD = """
  with old as (
    select key from tether_ledger where updated_at < clock_timestamp() - make_interval(days => %s::integer) limit 10000
  ), gone as (
    delete from tether_ledger using old where tether_ledger.key = old.key returning 1
  )
  select count(*)::text as gone from gone"""
