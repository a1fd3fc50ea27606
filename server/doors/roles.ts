import type { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { AuditService } from '@tether/proto/tether/v1/audit_service_pb.ts';
import type { CredentialService } from '@tether/proto/tether/v1/credential_service_pb.ts';
import type { StopService } from '@tether/proto/tether/v1/stop_service_pb.ts';
import type { ToolService } from '@tether/proto/tether/v1/tool_service_pb.ts';
import type { WebhookService } from '@tether/proto/tether/v1/webhook_service_pb.ts';
import { CallError } from '../domain/error.ts';
import type { Principal, Role } from '../domain/principal.ts';

/** Who may call what (DESIGN §3). An agent's credential can never confirm. */
export const rolesOfActionService = {
  stage: ['agent'],
  confirm: ['approver'],
  get: ['agent', 'approver', 'operator'],
  replay: ['agent', 'approver', 'operator'],
  list: ['agent', 'approver', 'operator'],
  watch: ['agent', 'approver', 'operator'],
  confirmPlan: ['approver'],
  reject: ['approver'],
  amend: ['approver'],
  resolve: ['approver'],
  probeNow: ['approver'],
  recheck: ['approver'],
  listEvents: ['approver', 'operator'],
} as const satisfies Record<keyof typeof ActionService.method, readonly Role[]>;

export const rolesOfToolService = {
  listTools: ['agent', 'approver'],
  call: ['agent'],
} as const satisfies Record<keyof typeof ToolService.method, readonly Role[]>;

export const rolesOfCredentialService = {
  create: ['operator'],
  list: ['operator'],
  rotate: ['operator'],
  revoke: ['operator'],
} as const satisfies Record<keyof typeof CredentialService.method, readonly Role[]>;

export const rolesOfStopService = {
  stop: ['operator'],
  resume: ['operator'],
  listStops: ['operator'],
} as const satisfies Record<keyof typeof StopService.method, readonly Role[]>;

export const rolesOfWebhookService = {
  listDeliveries: ['operator'],
  redeliver: ['operator'],
} as const satisfies Record<keyof typeof WebhookService.method, readonly Role[]>;

export const rolesOfAuditService = {
  listAdminEvents: ['operator'],
} as const satisfies Record<keyof typeof AuditService.method, readonly Role[]>;

/** Throws PERMISSION_DENIED, naming the roles that may. */
export function assertRole({ role }: Principal, rpc: string, allowed: readonly Role[]): void {
  if (allowed.includes(role)) return;
  throw new CallError('PERMISSION_DENIED', {
    message: `${rpc} is for credentials with the role ${allowed.join(' or ')}; this one has the role ${role}.`,
    field: 'authorization',
    receivedJson: JSON.stringify(role),
    acceptedJson: allowed.map((each) => JSON.stringify(each)),
  });
}
