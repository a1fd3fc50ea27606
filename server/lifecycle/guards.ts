import type { Actor, Observed } from '../domain/action.ts';
import { CallError } from '../domain/error.ts';
import { dangersOf, digestMatches, isSecondPerson } from '../domain/guard.ts';
import { getMove } from '../domain/outcome.ts';
import type { Tool } from '../domain/tool.ts';
import type { ConfirmInput } from './lifecycle.ts';

/** What must hold before anybody is asked and anything is called (DESIGN §2.2 step 5). Throws what is missing. */
export function assertGuards({ action }: Observed, tool: Tool, approver: Actor, input: ConfirmInput): void {
  if (!digestMatches(action, input.previewDigest)) {
    throw new CallError('PREVIEW_DIGEST_MISMATCH', {
      message: 'What was shown is not what would run: preview_digest differs from that of the action.',
      field: 'preview_digest',
      receivedJson: JSON.stringify(input.previewDigest),
      acceptedJson: [JSON.stringify(action.previewDigest)],
      alternatives: [getMove(action, 'Show the person the action as it is, and let them decide again.')],
    });
  }
  const reasons = dangersOf(action, tool);
  if (reasons.length > 0 && !input.acknowledgeHighRisk) {
    throw new CallError('RISK_ACKNOWLEDGEMENT_REQUIRED', {
      message: `${reasons.join(' ')} Whoever confirms it must set acknowledge_high_risk.`,
      field: 'acknowledge_high_risk',
      receivedJson: 'false',
      acceptedJson: ['true'],
      alternatives: [
        {
          action: 'confirm',
          argumentsJson: JSON.stringify({ action_id: action.id, acknowledge_high_risk: true }),
          description: 'Confirm again once the person has acknowledged the risk.',
        },
      ],
    });
  }
  if ((action.fourEyes || tool.fourEyes) && !isSecondPerson(action, approver)) {
    throw new CallError('SECOND_PERSON_REQUIRED', {
      message: `${tool.name} takes a second person: neither who proposed it, nor on whose behalf, nor who amended it.`,
      receivedJson: JSON.stringify(approver.userId),
      alternatives: [getMove(action, 'Ask somebody else to confirm it.')],
    });
  }
}
