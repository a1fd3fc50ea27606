import type { Outgoing, Question } from './transport.ts';

/**
 * The JSON envelope of DESIGN §4, with the arguments' RFC 8785 text as it is: what goes out is what was shown, so nothing
 * of it is parsed and written again. Every member is always there; `scope`, `user_id` and `action_id` are empty strings
 * when there is none. `deadline` is UTC with milliseconds.
 */
export function envelope(outgoing: Outgoing): string {
  const { requestId, tool, mode, actionId, attempt, deadline } = outgoing;
  return (
    `{"request_id":${JSON.stringify(requestId)},"tool":${JSON.stringify(tool)},"args":${outgoing.arguments},` +
    `"tenant":${tenantJson(outgoing)},"is_write":${mode === 'execute'},"mode":"${mode}",` +
    `"action_id":${JSON.stringify(actionId)},"attempt":${attempt},"deadline":"${deadline.toISOString()}"}`
  );
}

/**
 * The envelope of a question about a write. It has neither `args` nor `deadline`: a ledger is asked by its key, and a handler
 * that does not look at `mode` cannot take it for the write.
 */
export function probeEnvelope(question: Question): string {
  const { requestId, tool, actionId, attempt } = question;
  return (
    `{"request_id":${JSON.stringify(requestId)},"tool":${JSON.stringify(tool)},"tenant":${tenantJson(question)},` +
    `"is_write":true,"mode":"probe","action_id":${JSON.stringify(actionId)},"attempt":${attempt}}`
  );
}

function tenantJson({ tenant: { id, scope, userId } }: Question): string {
  return JSON.stringify({ id, scope, user_id: userId });
}
