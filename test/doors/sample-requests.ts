import type { MessageInitShape } from '@bufbuild/protobuf';
import type { methods, Verb } from './clients.ts';
import { actionId } from './scripted-lifecycle.ts';

const key = { case: 'actionId' as const, value: actionId };

/** A good request of every call. */
export const requests: { readonly [V in Verb]: MessageInitShape<(typeof methods)[V]['input']> } = {
  stage: { tool: 'void_ticket', requestId: 'r-1' },
  confirm: { actionId },
  get: { key },
  replay: { key },
  list: {},
  watch: {},
  confirmPlan: { entries: [{ actionId }] },
  reject: { actionId, reason: 'No.' },
  amend: { actionId, argumentsJson: '{}', requestId: 'r-1' },
  resolve: { actionId, landed: true, note: 'Seen.', expectedAttempts: 1, observedAt: { seconds: 1_787_251_267n } },
  probeNow: { actionId },
  recheck: { actionId },
  listEvents: { actionId },
  listTools: {},
  call: { tool: 'get_ticket', requestId: 'r-1' },
};
