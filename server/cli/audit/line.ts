import { cursorOf } from '../../lifecycle/event-cursor.ts';
import type { AdminEvent } from '../../lifecycle/ports/admin-events.ts';
import type { ActionEvent, Position } from '../../lifecycle/ports/events.ts';

/** An event of either trail as it is printed, and where it stands. The names are documented in docs/audit.md, and stay. */
export interface AuditLine {
  readonly text: string;
  readonly at: Date;
  readonly position: Position;
}

/** A transition of an action: the contract's names; what is not there is null. */
export function actionEventLine(tenantId: string, event: ActionEvent): AuditLine {
  const { at, position } = event;
  const text = lineOf({
    trail: 'actions',
    occurred_at: at,
    tenant_id: tenantId,
    type: event.type,
    action_id: event.actionId,
    version: event.version,
    from_state: event.from,
    to_state: event.to,
    effect: event.effect,
    attempt: event.attempt,
    actor: actorOf(event.actor),
    preview_digest: event.previewDigest,
    note: event.note,
    cursor: cursorOf(position),
  });
  return { text, at, position };
}

/** Something that an operator did. */
export function adminEventLine(event: AdminEvent): AuditLine {
  const { at, position } = event;
  const text = lineOf({
    trail: 'operators',
    occurred_at: at,
    tenant_id: event.tenantId,
    type: event.type,
    subject: event.subject,
    actor: actorOf(event.actor),
    detail: valueIn(event.detailJson),
    cursor: cursorOf(position),
  });
  return { text, at, position };
}

/** What is no JSON was not written by us, and is shown as it is. */
function valueIn(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function actorOf(actor: ActionEvent['actor']): object | null {
  return actor && { credential_id: actor.credentialId, user_id: actor.userId };
}

function lineOf(fields: object): string {
  return `${JSON.stringify(fields)}\n`;
}
