import { Migration } from '@mikro-orm/migrations';

/** Tenants and their credentials; actions, their attempts, intents, keys and audit trail. */
export class StagedWrites extends Migration {
  override up(): void {
    this.addSql(`create table "tenant" (
      "id" text not null, "created_at" timestamptz(6) not null default now(),
      primary key ("id"))`);

    this.addSql(`create table "credential" (
      "id" uuid not null, "tenant_id" text not null, "role" text not null, "user_id" text not null,
      "scopes" text[] null, "key_hash" bytea not null, "prefix" text not null,
      "created_at" timestamptz(6) not null default now(),
      primary key ("id", "tenant_id"),
      constraint "credential_key_hash_unique" unique ("key_hash", "tenant_id"),
      constraint "credential_role_check" check ("role" in ('agent', 'approver', 'operator')))`);

    this.addSql(`create table "action" (
      "id" uuid not null, "tenant_id" text not null, "scope" text not null, "user_id" text not null,
      "tool" text not null, "arguments" text not null, "preview_digest" text not null, "plan_id" text not null,
      "summary" text not null, "risk" text not null, "reversible" text null, "endpoint" text not null,
      "proposed_by_credential" text not null, "proposed_by_user" text not null, "intent_hash" bytea not null,
      "state" text not null, "effect" text not null, "version" int not null, "result_attempt" smallint null,
      "created_at" timestamptz(6) not null, "expires_at" timestamptz(6) not null,
      "settled_at" timestamptz(6) null, "sweep_at" timestamptz(6) null,
      primary key ("id", "tenant_id"),
      constraint "action_risk_check" check ("risk" in ('normal', 'elevated', 'high')),
      constraint "action_reversible_check" check ("reversible" in ('yes', 'no', 'external')),
      constraint "action_state_check" check ("state" in
        ('PENDING', 'EXECUTING', 'INDETERMINATE', 'SUCCEEDED', 'REFUSED', 'FAILED', 'EXPIRED')),
      constraint "action_effect_check" check ("effect" in ('NONE', 'UNKNOWN', 'APPLIED')))`);
    this.addSql(`create index "action_sweep_at_index" on "action" ("sweep_at") where sweep_at is not null`);

    this.addSql(`create table "attempt" (
      "action_id" uuid not null, "number" smallint not null, "tenant_id" text not null,
      "outcome" text not null, "effect" text not null, "started_at" timestamptz(6) not null,
      "deadline_at" timestamptz(6) not null, "lease_until" timestamptz(6) not null,
      "finished_at" timestamptz(6) null, "confirmed_by_credential" text not null,
      "confirmed_by_user" text not null, "result" text null, "error" text null,
      primary key ("action_id", "number", "tenant_id"),
      constraint "attempt_outcome_check" check ("outcome" in ('OPEN', 'SUCCEEDED', 'REFUSED', 'FAILED', 'NO_ANSWER')),
      constraint "attempt_effect_check" check ("effect" in ('NONE', 'UNKNOWN', 'APPLIED')))`);
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
      "transaction_id" xid8 not null default pg_current_xact_id(), "type" text not null, "from_state" text null,
      "to_state" text not null, "effect" text not null, "actor_credential" text null, "actor_user" text null,
      "attempt" smallint null, "preview_digest" text not null, "at" timestamptz(6) not null,
      primary key ("action_id", "version", "tenant_id"),
      constraint "event_from_state_check" check ("from_state" in
        ('PENDING', 'EXECUTING', 'INDETERMINATE', 'SUCCEEDED', 'REFUSED', 'FAILED', 'EXPIRED')),
      constraint "event_to_state_check" check ("to_state" in
        ('PENDING', 'EXECUTING', 'INDETERMINATE', 'SUCCEEDED', 'REFUSED', 'FAILED', 'EXPIRED')),
      constraint "event_effect_check" check ("effect" in ('NONE', 'UNKNOWN', 'APPLIED')))`);
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
  }
}
