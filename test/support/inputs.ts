/** What a caller asks for, with everything left out that a test does not care about. */
import type { ActionId } from '../../server/domain/action.ts';
import type { ConfirmInput, StageInput } from '../../server/lifecycle/lifecycle.ts';

/** The signal of a caller who waits for ever. */
export const neverAborted = new AbortController().signal;

/** A confirm of somebody who acknowledges nothing and expects nothing. */
export const confirmInput = (actionId: ActionId, over: Partial<ConfirmInput> = {}): ConfirmInput => ({
  actionId,
  idempotencyKey: '',
  acknowledgeHighRisk: false,
  acknowledgeIndeterminate: false,
  previewDigest: '',
  expectedAttempts: undefined,
  ...over,
});

/** A proposal of `void_ticket`; the arguments are JSON text, or a value. */
export const stageInput = (args: unknown, over: Partial<StageInput> = {}): StageInput => ({
  tool: 'void_ticket',
  argumentsJson: typeof args === 'string' ? args : JSON.stringify(args),
  userId: '',
  scope: '',
  planId: '',
  requestId: '',
  ttlMs: undefined,
  ...over,
});
