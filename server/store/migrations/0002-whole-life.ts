import { Migration } from '@mikro-orm/migrations';

/** Every way out of an action's life: what is declared, decided, verified and asked about; lists and retention. */
export class WholeLife extends Migration {
  override up(): void {
    for (const state of ['PRECONDITION_FAILED', 'REJECTED', 'SUPERSEDED'])
      this.addSql(`alter type "action_state" add value if not exists '${state}'`);
    this.addSql(`create type "event_type" as enum ('STAGED', 'CLAIMED', 'SETTLED', 'LATE_ANSWER', 'LEASE_OVER',
      'EXPIRED', 'REJECTED', 'SUPERSEDED', 'PRECONDITION_CHANGED', 'RESOLVED', 'PROBED', 'VERIFIED')`);
    this.addSql(`alter table "action"
      add column "declared" text null, add column "decided" text null,
      add column "intent_window_ms" double precision not null default 0,
      add column "supersedes" uuid null, add column "superseded_by" uuid null,
      add column "needs_attention" boolean not null default false,
      add column "next_probe_at" timestamptz(6) null, add column "verify_at" timestamptz(6) null`);
    // What the domain says of an action that is not UNVERIFIED, as none was before.
    this.addSql(`update "action" a set "needs_attention" = true
      where a."state" <> 'EXECUTING' and (a."state" = 'INDETERMINATE' or (a."state" <> 'SUCCEEDED' and a."effect" = 'APPLIED')
        or exists (select from "attempt" t where t."action_id" = a."id" and t."tenant_id" = a."tenant_id"
          and t."outcome" <> 'OPEN' and t."effect" = 'UNKNOWN'))`);
    this.addSql(`alter table "action" drop constraint "action_pkey", add primary key ("tenant_id", "id")`);
    this.addSql(`create index "action_due_index" on "action" (least(next_probe_at, verify_at))
      where least(next_probe_at, verify_at) is not null`);
    this.addSql(`create index "action_attention_index" on "action" ("tenant_id", "id") where needs_attention`);
    this.addSql(`create index "action_plan_index" on "action" ("plan_id", "tenant_id") where plan_id <> id::text`);
    this.addSql(`create index "stage_request_action_index" on "stage_request" ("action_id", "tenant_id")`);
    this.addSql(`create index "confirm_key_action_index" on "confirm_key" ("action_id", "tenant_id")`);
    this.addSql(`alter table "event" add column "note" text null,
      alter column "type" type "event_type" using "type"::"event_type"`);
    this.addSql(`create index "event_trail_index" on "event" ("tenant_id", "transaction_id", "seq")`);
  }

  override down(): void {
    for (const index of [
      'event_trail',
      'confirm_key_action',
      'stage_request_action',
      'action_plan',
      'action_attention',
      'action_due',
    ])
      this.addSql(`drop index "${index}_index"`);
    this.addSql(`alter table "event" alter column "type" type text, drop column "note"`);
    this.addSql('drop type "event_type"');
    const columns =
      'declared decided intent_window_ms supersedes superseded_by needs_attention next_probe_at verify_at';
    const drops = columns.split(' ').map((column) => `drop column "${column}"`);
    this.addSql(`alter table "action" ${drops.join(', ')}`);
    this.addSql(`alter table "action" drop constraint "action_pkey", add primary key ("id", "tenant_id")`);
    // The three states stay in their type: PostgreSQL takes no value back, and nothing reads them then.
  }
}
