import { ActionState } from '@tether/proto/tether/v1/action_pb.ts';
import type { ServerProcess } from '../../faults/server-process.ts';

/**
 * The person who decides, with a key of their own: sees what waits as soon as it is proposed, rejects what is about T-2 and
 * confirms everything else. Ends with `signal`.
 */
export async function decideWhatWaits({ approver }: ServerProcess, signal: AbortSignal): Promise<void> {
  try {
    for await (const { update } of approver.watch({ filter: { states: [ActionState.PENDING] } }, { signal })) {
      const action =
        update.case === 'snapshot' ? update.value : update.case === 'change' ? update.value.action : undefined;
      if (action?.state !== ActionState.PENDING) continue;
      const decision = { actionId: action.id };
      if (JSON.parse(action.argumentsJson).ticket_id === 'T-2')
        await approver.reject({ ...decision, reason: 'Not today.' }, { signal });
      else await approver.confirm({ ...decision, expectedAttempts: action.attemptsUsed }, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
