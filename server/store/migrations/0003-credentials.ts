import { Migration } from '@mikro-orm/migrations';

/** Credentials that have a name, end, and change their key; and the trail of what was done to them. */
export class ManagedCredentials extends Migration {
  override up(): void {
    this.addSql(`alter table "credential"
      add column "name" text not null default '', add column "expires_at" timestamptz(6) null,
      add column "revoked_at" timestamptz(6) null, add column "rotated_at" timestamptz(6) null,
      add column "previous_key_hash" bytea null, add column "previous_key_until" timestamptz(6) null,
      add constraint "credential_previous_key_unique" unique ("previous_key_hash", "tenant_id")`);
    this.addSql(`create type "credential_event_type" as enum ('CREATED', 'ROTATED', 'REVOKED')`);
    this.addSql(`create table "credential_event" (
      "seq" bigserial not null, "tenant_id" text not null, "credential_id" uuid not null,
      "type" "credential_event_type" not null, "actor_credential" text null, "actor_user" text null,
      "detail" text not null, "at" timestamptz(6) not null default clock_timestamp(),
      primary key ("seq", "tenant_id"))`);
    this.addSql(`create function credential_event_append_only_fn() returns trigger as
      $$ begin raise exception 'rows of credential_event are never changed or deleted'; end; $$ language plpgsql`);
    for (const [name, events] of [
      ['append_only', 'update or delete'],
      ['append_only_whole', 'truncate'],
    ])
      this.addSql(`create trigger ${name} before ${events} on "credential_event"
        for each statement execute function credential_event_append_only_fn()`);
  }

  override down(): void {
    this.addSql('drop table "credential_event"');
    this.addSql('drop function credential_event_append_only_fn()');
    this.addSql('drop type "credential_event_type"');
    this.addSql(`alter table "credential" drop column "name", drop column "expires_at", drop column "revoked_at",
      drop column "rotated_at", drop column "previous_key_hash", drop column "previous_key_until"`);
  }
}
