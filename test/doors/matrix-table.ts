/**
 * Who gets what of every RPC. **A new RPC needs one entry here**, or the matrix fails and names it:
 *
 *   'FooService.Bar': { who, about, wholeTenant?, ask, json }
 *
 *   who          the roles that may call it; all others are denied, and none of them learns whether the thing is there
 *   about        what kind of thing it is about: `nothing` (or what it makes itself), `pending` and `doubtful` actions, a
 *                `credential`, a `stop`, a dead `delivery`. Another tenant's, another scope's and another agent's answer like one that never was.
 *                A new kind goes into matrix-world.ts: how one is made, what one that never was is called, how it is refused
 *   wholeTenant  the credential must be good for all scopes
 *   scope        what becomes of a credential of another scope when `about` is nothing: `denied`, or (if not said) it is
 *                answered, with nothing of other scopes in it
 *   ask          a request that is good in itself, in the contract's JSON; `id` is the thing's, `scope` the one that is meant
 *   json         the same on the JSON door
 *
 * What stands behind a `#` tells two entries of one RPC apart.
 */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@bufbuild/protobuf';
import type { Role } from '../../server/domain/principal.ts';
import type { JsonCall } from './matrix-ask.ts';

export type Kind = 'nothing' | 'pending' | 'doubtful' | 'credential' | 'stop' | 'delivery';

/** What a request is made of. */
export interface Meant {
  readonly id: string;
  readonly scope: string;
}

export interface Line {
  readonly who: readonly Role[];
  readonly about: Kind;
  readonly wholeTenant?: true;
  readonly scope?: 'denied';
  readonly ask: (meant: Meant) => JsonObject;
  readonly json: (meant: Meant) => JsonCall;
}

const get = (path: string): JsonCall => ({ verb: 'GET', path });
const post = (path: string, body?: unknown): JsonCall => ({ verb: 'POST', path, body });
const ofAction =
  (verb: string, body?: () => unknown) =>
  ({ id }: Meant) =>
    post(`/v1/actions/${id}/${verb}`, body?.());

const everybody = ['agent', 'approver', 'operator'] as const;
const byId = ({ id }: Meant) => ({ actionId: id });
const nothing = () => ({});
const ticket = () => ({ ticket_id: randomUUID() });
const now = () => new Date().toISOString();
const looked = () => ({ landed: true, note: 'It is void.', expectedAttempts: 1, observedAt: now() });
const bot = { role: 'AGENT', userId: 'bot', scopes: ['s1'] };

export const table: Readonly<Record<string, Line>> = {
  'ActionService.Stage': {
    who: ['agent'],
    about: 'nothing',
    scope: 'denied',
    ask: ({ scope }) => ({ tool: 'void_ticket', argumentsJson: JSON.stringify(ticket()), scope }),
    json: ({ scope }) => post('/v1/actions', { tool: 'void_ticket', arguments: ticket(), scope }),
  },
  'ActionService.Confirm': { who: ['approver'], about: 'pending', ask: byId, json: ofAction('confirm') },
  'ActionService.Get': { who: everybody, about: 'pending', ask: byId, json: ({ id }) => get(`/v1/actions/${id}`) },
  'ActionService.Replay': {
    who: everybody,
    about: 'pending',
    ask: byId,
    json: ({ id }) => get(`/v1/actions/${id}/result`),
  },
  'ActionService.List': { who: everybody, about: 'nothing', ask: nothing, json: () => get('/v1/actions') },
  'ActionService.Watch': { who: everybody, about: 'nothing', ask: nothing, json: () => get('/v1/actions/watch') },
  'ActionService.ConfirmPlan': {
    who: ['approver'],
    about: 'pending',
    ask: ({ id }) => ({ entries: [{ actionId: id }] }),
    json: ({ id }) => post('/v1/plans/confirm', { entries: [{ actionId: id }] }),
  },
  'ActionService.Reject': {
    who: ['approver'],
    about: 'pending',
    ask: ({ id }) => ({ actionId: id, reason: 'No.' }),
    json: ofAction('reject', () => ({ reason: 'No.' })),
  },
  'ActionService.Amend': {
    who: ['approver'],
    about: 'pending',
    ask: ({ id }) => ({ actionId: id, argumentsJson: JSON.stringify(ticket()) }),
    json: ofAction('amend', () => ({ arguments: ticket() })),
  },
  'ActionService.Resolve': {
    who: ['approver'],
    about: 'doubtful',
    ask: ({ id }) => ({ actionId: id, ...looked() }),
    json: ofAction('resolve', looked),
  },
  'ActionService.ProbeNow': { who: ['approver'], about: 'doubtful', ask: byId, json: ofAction('probe') },
  'ActionService.Recheck': { who: ['approver'], about: 'pending', ask: byId, json: ofAction('recheck') },
  'ActionService.ListEvents': {
    who: ['approver', 'operator'],
    about: 'pending',
    ask: byId,
    json: ({ id }) => get(`/v1/actions/${id}/events`),
  },
  'ActionService.ListEvents#tenant': {
    who: ['operator'],
    about: 'nothing',
    wholeTenant: true,
    ask: nothing,
    json: () => get('/v1/events'),
  },
  'ToolService.ListTools': { who: ['agent', 'approver'], about: 'nothing', ask: nothing, json: () => get('/v1/tools') },
  'ToolService.Call#read': {
    who: ['agent'],
    about: 'nothing',
    scope: 'denied',
    ask: ({ scope }) => ({ tool: 'get_ticket', argumentsJson: JSON.stringify(ticket()), scope }),
    json: ({ scope }) => post('/v1/tools/get_ticket/call', { arguments: ticket(), scope }),
  },
  'ToolService.Call#write': {
    who: ['agent'],
    about: 'nothing',
    scope: 'denied',
    ask: ({ scope }) => ({ tool: 'void_ticket', argumentsJson: JSON.stringify(ticket()), scope }),
    json: ({ scope }) => post('/v1/tools/void_ticket/call', { arguments: ticket(), scope }),
  },
  'CredentialService.Create': {
    who: ['operator'],
    about: 'nothing',
    wholeTenant: true,
    ask: () => ({ ...bot, role: 'ROLE_AGENT' }),
    json: () => post('/v1/credentials', bot),
  },
  'CredentialService.List': {
    who: ['operator'],
    about: 'nothing',
    wholeTenant: true,
    ask: nothing,
    json: () => get('/v1/credentials'),
  },
  'CredentialService.Rotate': {
    who: ['operator'],
    about: 'credential',
    wholeTenant: true,
    ask: ({ id }) => ({ credentialId: id }),
    json: ({ id }) => post(`/v1/credentials/${id}/rotate`),
  },
  'CredentialService.Revoke': {
    who: ['operator'],
    about: 'credential',
    wholeTenant: true,
    ask: ({ id }) => ({ credentialId: id }),
    json: ({ id }) => post(`/v1/credentials/${id}/revoke`),
  },
  'StopService.Stop': {
    who: ['operator'],
    about: 'nothing',
    wholeTenant: true,
    ask: () => ({ kind: 'STOP_KIND_TOOL', name: 'idle_tool' }),
    json: () => post('/v1/stops', { kind: 'TOOL', name: 'idle_tool' }),
  },
  'StopService.Resume': {
    who: ['operator'],
    about: 'stop',
    wholeTenant: true,
    ask: ({ id }) => ({ kind: 'STOP_KIND_TOOL', name: id }),
    json: ({ id }) => post('/v1/stops/resume', { kind: 'TOOL', name: id }),
  },
  'StopService.ListStops': {
    who: ['operator'],
    about: 'nothing',
    wholeTenant: true,
    ask: nothing,
    json: () => get('/v1/stops'),
  },
  'WebhookService.ListDeliveries': {
    who: ['operator'],
    about: 'nothing',
    wholeTenant: true,
    ask: nothing,
    json: () => get('/v1/webhooks/deliveries'),
  },
  'WebhookService.Redeliver': {
    who: ['operator'],
    about: 'delivery',
    wholeTenant: true,
    ask: ({ id }) => ({ deliveryId: id }),
    json: ({ id }) => post(`/v1/webhooks/deliveries/${id}/redeliver`),
  },
  'AuditService.ListAdminEvents': {
    who: ['operator'],
    about: 'nothing',
    wholeTenant: true,
    ask: nothing,
    json: () => get('/v1/admin-events'),
  },
};
