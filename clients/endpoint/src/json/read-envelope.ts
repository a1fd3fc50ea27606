/** The JSON envelope of a call or a probe, as docs/endpoint.md has it. */
import { assertCall, type Invocation, MalformedCall, type ProbeQuestion } from '../invocation.ts';
import type { HeaderOf } from '../signature.ts';

export type Envelope =
  | { readonly kind: 'invoke'; readonly invocation: Invocation }
  | { readonly kind: 'probe'; readonly question: ProbeQuestion };

/** @throws MalformedCall with what is wrong. */
export function readEnvelope(body: Uint8Array, header: HeaderOf): Envelope {
  const envelope = objectOf(body);
  const { tenant, attempt, args, mode, deadline } = envelope;
  const of = isObject(tenant) ? tenant : {};
  const question = {
    requestId: textOf(envelope.request_id),
    tool: textOf(envelope.tool),
    tenant: { id: textOf(of.id), scope: textOf(of.scope), userId: textOf(of.user_id) },
    actionId: textOf(envelope.action_id),
    attempt: typeof attempt === 'number' ? attempt : Number.NaN,
  };
  assertCall(question, header('x-tether-idempotency-key'));
  if (mode === 'probe') return { kind: 'probe', question };
  if (mode !== 'read' && mode !== 'execute') throw new MalformedCall('mode must be read, execute or probe.', 'mode');
  if (!isObject(args)) throw new MalformedCall('args must be an object.', 'args');
  const until = new Date(typeof deadline === 'string' ? deadline : Number.NaN);
  if (Number.isNaN(until.getTime())) throw new MalformedCall('deadline must be an ISO 8601 time.', 'deadline');
  return { kind: 'invoke', invocation: { ...question, mode, args, deadline: until } };
}

function objectOf(body: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new MalformedCall('The body must be JSON.');
  }
  if (!isObject(value)) throw new MalformedCall('The body must be a JSON object.');
  return value;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
