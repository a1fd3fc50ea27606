/**
 * The words of the contract's enums, without their prefixes: `'PENDING'`, not `ACTION_STATE_PENDING`. What a newer server may
 * say beyond them reads as `'UNSPECIFIED'`, an effect as `'UNKNOWN'`.
 */

import * as event from '@tether/proto/clients/tether/v1/action_event_pb.ts';
import * as action from '@tether/proto/clients/tether/v1/action_pb.ts';
import * as service from '@tether/proto/clients/tether/v1/action_service_pb.ts';
import * as admin from '@tether/proto/clients/tether/v1/admin_event_pb.ts';
import * as credential from '@tether/proto/clients/tether/v1/credential_pb.ts';
import * as effect from '@tether/proto/clients/tether/v1/effect_pb.ts';
import * as probe from '@tether/proto/clients/tether/v1/probe_disposition_pb.ts';
import * as stop from '@tether/proto/clients/tether/v1/stop_pb.ts';
import * as delivery from '@tether/proto/clients/tether/v1/webhook_delivery_pb.ts';

type Values = Readonly<Record<string, number>>;
type Word<Enum> = keyof Enum & string;
/** A word that can be sent. */
export type Meant<W extends string> = Exclude<W, 'UNSPECIFIED'>;

export type ActionState = Word<typeof action.ActionState>;
export type AttemptOutcome = Word<typeof action.AttemptOutcome>;
export type VerificationState = Word<typeof action.VerificationState>;
export type Risk = Word<typeof action.Risk>;
export type Reversible = Word<typeof action.Reversible>;
export type ActionEventType = Word<typeof event.ActionEventType>;
export type ConfirmStatus = Word<typeof service.ConfirmStatus>;
export type Role = Word<typeof credential.Role>;
export type ProbeDisposition = Word<typeof probe.ProbeDisposition>;
export type StopKind = Word<typeof stop.StopKind>;
export type AdminEventType = Word<typeof admin.AdminEventType>;
export type WebhookTopic = Word<typeof delivery.WebhookTopic>;
export type WebhookDeliveryState = Word<typeof delivery.WebhookDeliveryState>;
/** The most that something may have left behind: NONE < UNKNOWN < APPLIED. */
export type Effect = Meant<Word<typeof effect.Effect>>;

export const actionState: (value: number) => ActionState = reader(action.ActionState);
export const attemptOutcome: (value: number) => AttemptOutcome = reader(action.AttemptOutcome);
export const verificationState: (value: number) => VerificationState = reader(action.VerificationState);
export const risk: (value: number) => Risk = reader(action.Risk);
export const reversible: (value: number) => Reversible = reader(action.Reversible);
export const actionEventType: (value: number) => ActionEventType = reader(event.ActionEventType);
export const confirmStatus: (value: number) => ConfirmStatus = reader(service.ConfirmStatus);
export const role: (value: number) => Role = reader(credential.Role);
export const probeDisposition: (value: number) => ProbeDisposition = reader(probe.ProbeDisposition);
export const stopKind: (value: number) => StopKind = reader(stop.StopKind);
export const adminEventType: (value: number) => AdminEventType = reader(admin.AdminEventType);
export const webhookTopic: (value: number) => WebhookTopic = reader(delivery.WebhookTopic);
export const webhookDeliveryState: (value: number) => WebhookDeliveryState = reader(delivery.WebhookDeliveryState);

const effectWord = reader(effect.Effect);

/** What cannot be read cannot be known. */
export function effectOf(value: number): Effect {
  const word = effectWord(value);
  return word === 'UNSPECIFIED' ? 'UNKNOWN' : word;
}

function reader<Enum extends Values>(values: Enum): (value: number) => Word<Enum> | 'UNSPECIFIED' {
  // The names of an object literal are its keys.
  const words = new Map(Object.entries(values).map(([word, value]) => [value, word as Word<Enum>]));
  return (value) => words.get(value) ?? 'UNSPECIFIED';
}
