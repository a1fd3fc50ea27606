import type { Outgoing } from './transport.ts';

/**
 * The JSON envelope of DESIGN §4, with the arguments' RFC 8785 text as it is: what goes out is what was shown, so nothing
 * of it is parsed and written again. Every member is always there; `scope`, `user_id` and `action_id` are empty strings
 * when there is none. `deadline` is UTC with milliseconds.
 */
export function envelope(outgoing: Outgoing): string {
  const { requestId, tool, tenant, mode, actionId, attempt, deadline } = outgoing;
  const { id, scope, userId } = tenant;
  return (
    `{"request_id":${JSON.stringify(requestId)},"tool":${JSON.stringify(tool)},"args":${outgoing.arguments},` +
    `"tenant":{"id":${JSON.stringify(id)},"scope":${JSON.stringify(scope)},"user_id":${JSON.stringify(userId)}},` +
    `"is_write":${mode === 'execute'},"mode":"${mode}","action_id":${JSON.stringify(actionId)},"attempt":${attempt},` +
    `"deadline":"${deadline.toISOString()}"}`
  );
}
