import { Migration } from '@mikro-orm/migrations';

/** The trail of what was done to credentials becomes the trail of all that operators do. */
export class AdminEvents extends Migration {
  override up(): void {
    this.addSql('drop trigger append_only on "credential_event"');
    this.addSql('drop trigger append_only_whole on "credential_event"');
    this.addSql('drop function credential_event_append_only_fn()');
    this.addSql('alter table "credential_event" rename to "admin_event"');
    this.addSql('alter sequence "credential_event_seq_seq" rename to "admin_event_seq_seq"');
    this.addSql('alter table "admin_event" rename constraint "credential_event_pkey" to "admin_event_pkey"');
    this.addSql('alter table "admin_event" rename column "credential_id" to "subject"');
    // What is there already counts as written by this transaction: before all that comes, in its own order.
    this.addSql(`alter table "admin_event" alter column "subject" type text using "subject"::text,
      alter column "type" type text using 'CREDENTIAL_' || "type"::text,
      add column "transaction_id" xid8 not null default pg_current_xact_id()`);
    this.addSql('drop type "credential_event_type"');
    this.addSql('create index "admin_event_trail_index" on "admin_event" ("tenant_id", "transaction_id", "seq")');
    addAppendOnly(this, 'admin_event');
  }

  override down(): void {
    this.addSql('drop trigger append_only on "admin_event"');
    this.addSql('drop trigger append_only_whole on "admin_event"');
    this.addSql('drop function admin_event_append_only_fn()');
    // The table before can tell of credentials only.
    this.addSql(`delete from "admin_event" where "type" not like 'CREDENTIAL\\_%'`);
    this.addSql('drop index "admin_event_trail_index"');
    this.addSql(`create type "credential_event_type" as enum ('CREATED', 'ROTATED', 'REVOKED')`);
    this.addSql(`alter table "admin_event" drop column "transaction_id",
      alter column "type" type "credential_event_type" using substr("type", 12)::"credential_event_type",
      alter column "subject" type uuid using "subject"::uuid`);
    this.addSql('alter table "admin_event" rename column "subject" to "credential_id"');
    this.addSql('alter table "admin_event" rename constraint "admin_event_pkey" to "credential_event_pkey"');
    this.addSql('alter sequence "admin_event_seq_seq" rename to "credential_event_seq_seq"');
    this.addSql('alter table "admin_event" rename to "credential_event"');
    addAppendOnly(this, 'credential_event');
  }
}

function addAppendOnly(migration: Migration, table: string): void {
  migration.addSql(`create function ${table}_append_only_fn() returns trigger as
    $$ begin raise exception 'rows of ${table} are never changed or deleted'; end; $$ language plpgsql`);
  for (const [name, events] of [
    ['append_only', 'update or delete'],
    ['append_only_whole', 'truncate'],
  ])
    migration.addSql(`create trigger ${name} before ${events} on "${table}"
      for each statement execute function ${table}_append_only_fn()`);
}
