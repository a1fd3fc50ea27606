/** Plain JSON: one POST to the endpoint's URL. */
import { actionIdOf, type Call } from '../contract/call.ts';
import { http1 } from '../wire/http1.ts';
import { statusSaid } from './http-status.ts';
import { dispositionSaid, resultSaid } from './json-answer.ts';
import type { Malformed, Message, Protocol } from './protocol.ts';

export const json: Protocol = {
  exchange: http1,

  message: (call) => post(JSON.stringify(envelope(call)), call.requestId),

  answer({ status, body }, asked) {
    const text = body.toString('utf8');
    const said =
      status < 200 || status > 299
        ? statusSaid(status, text)
        : asked === 'probe'
          ? dispositionSaid(text)
          : resultSaid(text);
    return { ...said, status: `HTTP ${status}`, text, bytes: body.length };
  },

  malformed(sample) {
    const whole = envelope(sample);
    const key = sample.requestId;
    const { request_id: _, ...keyless } = whole;
    const put = (more: object): Message => post(JSON.stringify({ ...whole, ...more }), key);
    const all: Malformed[] = [
      { what: 'a body that is no JSON', message: post('{"request_id":', key) },
      { what: 'a body that is a list', message: post('[]', key) },
      { what: 'a call without request_id', message: post(JSON.stringify(keyless)) },
      { what: 'a call of a tool that there is not', message: put({ tool: 'tether_check_no_such_tool' }) },
      { what: 'a call with args that are no object', message: put({ args: 'all of them' }) },
      { what: 'a call with a mode that there is not', message: put({ mode: 'rehearse' }) },
      { what: 'a call with a deadline that is no time', message: put({ deadline: 'soon' }) },
      {
        what: 'text/plain that is no call',
        message: { ...post('hello', key), headers: { 'content-type': 'text/plain' } },
      },
      { what: 'a GET', message: { ...post('', key), method: 'GET', headers: {} }, mayAnswer: true },
    ];
    return all;
  },
};

function post(text: string, key?: string): Message {
  const body = Buffer.from(text);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(key !== undefined && { 'x-tether-idempotency-key': key }),
  };
  return { method: 'POST', path: '', headers, payload: body, body };
}

function envelope(call: Call): Record<string, unknown> {
  const { requestId, tool, args, tenant, mode, attempt, deadline, fromTheFuture = false } = call;
  const more = fromTheFuture ? { tether_check_new: { of: ['a', 'later', 'version'] } } : {};
  return {
    request_id: requestId,
    tool,
    ...(mode !== 'probe' && { args: JSON.parse(args) }),
    tenant: { id: tenant.id, scope: tenant.scope, user_id: tenant.userId, ...more },
    is_write: mode !== 'read',
    mode,
    action_id: actionIdOf(call),
    attempt,
    ...(mode !== 'probe' && { deadline: deadline.toISOString() }),
    ...more,
  };
}
