import { create } from '@bufbuild/protobuf';
import type { ConfirmPlanResponse } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ConfirmPlanResponseSchema, NotRunSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { PlanVerdict } from '../../lifecycle/lifecycle.ts';
import { errorToWire } from '../../wire/error.ts';
import { confirmedToWire } from './confirmed.ts';

/** What came of one entry of a plan. */
export function planVerdictToWire(verdict: PlanVerdict): ConfirmPlanResponse {
  const { index, actionId } = verdict;
  return create(ConfirmPlanResponseSchema, { index, actionId, verdict: verdictOf(verdict) });
}

function verdictOf(verdict: PlanVerdict): ConfirmPlanResponse['verdict'] {
  switch (verdict.kind) {
    case 'confirmed':
      return { case: 'confirmed', value: confirmedToWire(verdict.confirmed) };
    case 'refused':
      return { case: 'error', value: errorToWire(verdict.error) };
    case 'not-run':
      return { case: 'notRun', value: create(NotRunSchema, { reason: verdict.reason }) };
  }
}
