import { ActionEntity } from './action.ts';
import { AdminEventEntity } from './admin-event.ts';
import { AttemptEntity } from './attempt.ts';
import { ConfirmKeyEntity } from './confirm-key.ts';
import { CredentialEntity } from './credential.ts';
import { EventEntity } from './event.ts';
import { IntentEntity } from './intent.ts';
import { StageRequestEntity } from './stage-request.ts';
import { StopEntity } from './stop.ts';
import { TenantEntity } from './tenant.ts';
import { WebhookCursorEntity } from './webhook-cursor.ts';
import { WebhookDeliveryEntity } from './webhook-delivery.ts';

/** Every table of ours, named one by one: nothing is found by scanning folders. */
export const entities = [
  TenantEntity,
  CredentialEntity,
  AdminEventEntity,
  ActionEntity,
  AttemptEntity,
  IntentEntity,
  StageRequestEntity,
  ConfirmKeyEntity,
  EventEntity,
  StopEntity,
  WebhookCursorEntity,
  WebhookDeliveryEntity,
];
