package ledger

// The statements of the ledger, which are those of every language's package. `hold` is what callers with one key wait for; the
// primary key, with the conditions of `record` and `withdraw`, is what decides. All columns come back as texts: no type parser
// of a driver's or a mapper's is in the way.
const (
	// transaction tells one transaction from another: the start of it, and who serves it.
	transaction = `extract(epoch from now())::text as began, pg_backend_pid()::text as backend`

	// hold: $1 key. Waits for whoever holds the key; it is let go with the transaction.
	hold = `
  select pg_advisory_xact_lock(hashtextextended('tether_ledger:' || $1::text, 0))::text as held, ` + transaction + `,
    current_setting('transaction_isolation') as isolation`

	// tryHold: $1 key. Does not wait: held is false when somebody works on it.
	tryHold = `
  select pg_try_advisory_xact_lock(hashtextextended('tether_ledger:' || $1::text, 0))::text as held, ` + transaction + `,
    current_setting('transaction_isolation') as isolation`

	// look: $1 key. One row always; state is null when there is no entry. A statement of its own: it must see what hold waited for.
	look = `
  select ` + transaction + `, extract(epoch from clock_timestamp())::text as now, entry.tenant, entry.tool,
    entry.arguments_digest as digest, entry.attempt::text as attempt, entry.state, entry.result, entry.refusal,
    entry.left_behind::text as left
  from (select 1) as one left join tether_ledger as entry on entry.key = $1::text`

	// record: $1 key, $2 tenant, $3 tool, $4 digest, $5 attempt, $6 result, $7 deadline, $8 began, $9 backend. No row: past the
	// deadline, in another transaction than hold, or not the only one who works on the key.
	record = `
  insert into tether_ledger (key, tenant, tool, arguments_digest, attempt, state, result)
  select $1::text, $2::text, $3::text, $4::text, $5::integer, 'applied', $6::text
  where clock_timestamp() < $7::timestamptz and extract(epoch from now())::text = $8::text and pg_backend_pid()::text = $9::text
  on conflict (key) do update
    set arguments_digest = excluded.arguments_digest, attempt = excluded.attempt, state = 'applied',
      result = excluded.result, refusal = null, updated_at = clock_timestamp()
    where tether_ledger.state <> 'applied' and tether_ledger.attempt < excluded.attempt
      and tether_ledger.tenant = excluded.tenant and tether_ledger.tool = excluded.tool
  returning 'yes' as done`

	// recordRefusal: $1 key, $2 tenant, $3 tool, $4 digest, $5 attempt, $6 refusal, $7 whether it left something behind.
	recordRefusal = `
  insert into tether_ledger (key, tenant, tool, arguments_digest, attempt, state, refusal, left_behind)
  values ($1::text, $2::text, $3::text, $4::text, $5::integer, 'refused', $6::text, $7::boolean)
  on conflict (key) do update
    set arguments_digest = excluded.arguments_digest, attempt = excluded.attempt, state = 'refused',
      refusal = excluded.refusal, left_behind = tether_ledger.left_behind or excluded.left_behind,
      updated_at = clock_timestamp()
    where tether_ledger.state <> 'applied' and tether_ledger.attempt < excluded.attempt
      and tether_ledger.tenant = excluded.tenant and tether_ledger.tool = excluded.tool
  returning 'yes' as done`

	// withdraw: $1 key, $2 tenant, $3 tool, $4 attempt. No row: a write was recorded meanwhile.
	withdraw = `
  insert into tether_ledger (key, tenant, tool, attempt, state)
  values ($1::text, $2::text, $3::text, $4::integer, 'withdrawn')
  on conflict (key) do update
    set attempt = excluded.attempt, state = 'withdrawn', refusal = null, updated_at = clock_timestamp()
    where tether_ledger.state <> 'applied' and tether_ledger.attempt < excluded.attempt
      and tether_ledger.tenant = excluded.tenant and tether_ledger.tool = excluded.tool
  returning 'yes' as done`

	// deleteOld: $1 days. A batch of what has not been touched for longer; one row with how many went.
	deleteOld = `
  with old as (
    select key from tether_ledger where updated_at < clock_timestamp() - make_interval(days => $1::integer) limit 10000
  ), gone as (
    delete from tether_ledger using old where tether_ledger.key = old.key returning 1
  )
  select count(*)::text as gone from gone`
)
