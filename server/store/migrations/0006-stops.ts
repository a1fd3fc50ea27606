import { Migration } from '@mikro-orm/migrations';

/** What operators stopped. */
export class Stops extends Migration {
  override up(): void {
    this.addSql(`create type "stop_kind" as enum ('TOOL', 'ENDPOINT', 'TENANT')`);
    this.addSql(`create table "stop" (
      "name" text not null, "kind" "stop_kind" not null, "tenant_id" text not null, "reason" text not null,
      "by_credential" text not null, "by_user" text not null, "at" timestamptz(6) not null default clock_timestamp(),
      primary key ("name", "kind", "tenant_id"))`);
  }

  override down(): void {
    this.addSql('drop table "stop"');
    this.addSql('drop type "stop_kind"');
  }
}
