-- What remembers which writes were made: one row for each idempotency key of Tether's. PostgreSQL 14 or newer.
--   applied     the write was made, in the transaction that put this row here
--   refused     the attempt was refused, and rolled back
--   withdrawn   somebody was told that the attempt, and all before it, are not executed
create table if not exists tether_ledger (
  key text primary key,
  tenant text not null,
  tool text not null,
  -- sha256:… of the arguments; null while nobody but a probe has come with this key.
  arguments_digest text,
  attempt integer not null check (attempt >= 1),
  state text not null check (state in ('applied', 'refused', 'withdrawn')),
  -- JSON as it was answered; text, so that a repeat gets the same bytes.
  result text,
  refusal text,
  -- A refused attempt left something behind outside of its transaction.
  left_behind boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  check ((state = 'applied') = (result is not null)),
  check ((state = 'refused') = (refusal is not null)),
  check (state = 'withdrawn' or arguments_digest is not null)
);

-- For deleting what is old.
create index if not exists tether_ledger_updated_at on tether_ledger (updated_at);
