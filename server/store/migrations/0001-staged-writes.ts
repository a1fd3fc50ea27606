import { Migration } from '@mikro-orm/migrations';

/** Tenants and their credentials; actions, their attempts, intents, keys and audit trail. */
export class StagedWrites extends Migration {
  override up(): void {
    this.addSql(`create type "role" as enum ('agent', 'approver', 'operator')`);
    this.addSql(`create type "risk" as enum ('normal', 'elevated', 'high')`);
    this.addSql(`create type "reversible" as enum ('yes', 'no', 'external')`);
    this.addSql(`create type "action_state" as enum
      ('PENDING', 'EXECUTING', 'INDETERMINATE', 'SUCCEEDED', 'REFUSED', 'FAILED', 'EXPIRED')`);
    this.addSql(`create type "effect" as enum ('NONE', 'UNKNOWN', 'APPLIED')`);
    this.addSql(`create type "attempt_outcome" as enum ('OPEN', 'SUCCEEDED', 'REFUSED', 'FAILED', 'NO_ANSWER')`);

    this.addSql(`create table "tenant" (
      "id" text not null, "created_at" timestamptz(6) not null default now(),
      primary key ("id"))`);

    this.addSql(`create table "credential" (
      "id" uuid not null, "tenant_id" text not null, "role" "role" not null, "user_id" text not null,
      "scopes" text[] null, "key_hash" bytea not null, "prefix" text not null,
      "created_at" timestamptz(6) not null default now(),
      primary key ("id", "tenant_id"),
      constraint "credential_key_hash_unique" unique ("key_hash", "tenant_id"))`);

    this.addSql(`create table "action" (
      "id" uuid not null, "tenant_id" text not null, "scope" text not null, "user_id" text not null,
      "tool" text not null, "arguments" text not null, "preview_digest" text not null, "plan_id" text not null,
      "summary" text not null, "risk" "risk" not null, "reversible" "reversible" null, "endpoint" text not null,
      "proposed_by_credential" text not null, "proposed_by_user" text not null, "intent_hash" bytea not null,
      "state" "action_state" not null, "effect" "effect" not null, "version" int not null, "result_attempt" smallint null,
      "created_at" timestamptz(6) not null, "expires_at" timestamptz(6) not null,
      "settled_at" timestamptz(6) null, "sweep_at" timestamptz(6) null,
      primary key ("id", "tenant_id"))`);
    this.addSql(`create index "action_sweep_at_index" on "action" ("sweep_at") where sweep_at is not null`);

    this.addSql(`create table "attempt" (
      "action_id" uuid not null, "number" smallint not null, "tenant_id" text not null,
      "outcome" "attempt_outcome" not null, "effect" "effect" not null, "started_at" timestamptz(6) not null,
      "deadline_at" timestamptz(6) not null, "lease_until" timestamptz(6) not null,
      "finished_at" timestamptz(6) null, "confirmed_by_credential" text not null,
      "confirmed_by_user" text not null, "result" text null, "error" text null,
      primary key ("action_id", "number", "tenant_id"))`);
    this.addSql(
      `create unique index "attempt_open_unique" on "attempt" ("action_id", "tenant_id") where finished_at is null`,
    );

    this.addSql(`create table "intent" (
      "intent_hash" bytea not null, "tenant_id" text not null, "action_id" uuid not null,
      primary key ("intent_hash", "tenant_id"))`);

    this.addSql(`create table "stage_request" (
      "request_id" text not null, "credential_id" text not null, "tenant_id" text not null, "action_id" uuid not null,
      primary key ("request_id", "credential_id", "tenant_id"))`);

    this.addSql(`create table "confirm_key" (
      "idempotency_key" text not null, "user_id" text not null, "tenant_id" text not null, "action_id" uuid not null,
      primary key ("idempotency_key", "user_id", "tenant_id"))`);

    this.addSql(`create table "event" (
      "action_id" uuid not null, "version" int not null, "tenant_id" text not null, "seq" bigserial not null,
      "transaction_id" xid8 not null default pg_current_xact_id(), "type" text not null, "from_state" "action_state" null,
      "to_state" "action_state" not null, "effect" "effect" not null, "actor_credential" text null, "actor_user" text null,
      "attempt" smallint null, "preview_digest" text not null, "at" timestamptz(6) not null,
      primary key ("action_id", "version", "tenant_id"))`);
  }

  override down(): void {
    for (const table of [
      'event',
      'confirm_key',
      'stage_request',
      'intent',
      'attempt',
      'action',
      'credential',
      'tenant',
    ])
      this.addSql(`drop table "${table}"`);
    for (const type of ['attempt_outcome', 'effect', 'action_state', 'reversible', 'risk', 'role'])
      this.addSql(`drop type "${type}"`);
  }
}
