-- The shop's own tables. Amounts are cents, so that sums are exact.
create table if not exists items (
  id text primary key,
  name text not null,
  price_cents integer not null check (price_cents >= 0)
);

create table if not exists tickets (
  id text primary key,
  table_no integer not null,
  status text not null check (status in ('open', 'paid', 'void')),
  opened_at timestamptz not null,
  closed_at timestamptz,
  void_reason text,
  check ((status = 'open') = (closed_at is null))
);

create index if not exists tickets_open on tickets (opened_at) where status = 'open';

create table if not exists ticket_lines (
  ticket_id text not null references tickets (id),
  line_no integer not null,
  item_id text not null references items (id),
  quantity integer not null check (quantity > 0),
  unit_price_cents integer not null,
  primary key (ticket_id, line_no)
);

create table if not exists refunds (
  id bigint generated always as identity primary key,
  ticket_id text not null references tickets (id),
  amount_cents integer not null check (amount_cents > 0),
  reason text not null,
  refunded_at timestamptz not null default clock_timestamp()
);

-- One row for each write that was done, put there by the transaction that did it.
create table if not exists idempotency_ledger (
  key text primary key,
  tool text not null,
  arguments text not null,
  result text not null,
  done_at timestamptz not null default clock_timestamp()
);

-- One row for each key of which somebody was told that it is not executed: no attempt up to this one may be made any more.
create table if not exists idempotency_fences (
  key text primary key,
  attempt integer not null,
  fenced_at timestamptz not null default clock_timestamp()
);
