import { Migration } from '@mikro-orm/migrations';

/** Messages to webhooks, and how far the trail has been read for each. */
export class Webhooks extends Migration {
  override up(): void {
    this.addSql(`create table "webhook_cursor" (
      "webhook" text not null, "tenant_id" text not null, "transaction_id" xid8 not null, "seq" bigint not null,
      primary key ("webhook", "tenant_id"))`);
    this.addSql(`create type "webhook_topic" as enum ('pending', 'needs_attention', 'settled', 'expiring_soon')`);
    this.addSql(`create type "delivery_state" as enum ('DUE', 'DELIVERED', 'DEAD')`);
    this.addSql(`create table "webhook_delivery" (
      "id" uuid not null, "tenant_id" text not null, "webhook" text not null, "topic" "webhook_topic" not null,
      "action_id" uuid not null, "version" int not null, "body" text not null, "state" "delivery_state" not null,
      "attempts" int not null, "next_at" timestamptz(6) null, "fault" text not null,
      "created_at" timestamptz(6) not null default now(), "changed_at" timestamptz(6) not null default now(),
      primary key ("id", "tenant_id"),
      constraint "webhook_delivery_message_unique" unique ("action_id", "version", "topic", "webhook", "tenant_id"))`);
    this.addSql(
      `create index "webhook_delivery_next_at_index" on "webhook_delivery" ("next_at") where next_at is not null`,
    );
    this.addSql(`create index "webhook_delivery_list_index" on "webhook_delivery" ("tenant_id", "created_at", "id")`);
  }

  override down(): void {
    this.addSql('drop table "webhook_delivery"');
    this.addSql('drop table "webhook_cursor"');
    this.addSql('drop type "delivery_state"');
    this.addSql('drop type "webhook_topic"');
  }
}
