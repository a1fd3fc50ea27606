import { Refused } from './refused.ts';

/** What every envelope of Tether's says. */
interface Envelope {
  /** Also the `X-Tether-Idempotency-Key`: of a confirmed write, the same over all of its attempts. */
  readonly requestId: string;
  readonly tool: string;
  readonly userId: string;
  readonly attempt: number;
}

/** One call of a tool. */
export interface Call extends Envelope {
  readonly mode: 'read' | 'execute';
  readonly args: Args;
  /** No write may be made from then on. */
  readonly deadline: Date;
}

/** A question: what became of this attempt of a write, and of those before it? */
export interface Probe extends Envelope {
  readonly mode: 'probe';
}

export type Args = Readonly<Record<string, unknown>>;

/** A request that is no call at all: answered with 400. */
export class NoCall extends Error {
  readonly field: string | undefined;

  constructor(message: string, field?: string) {
    super(message);
    this.name = 'NoCall';
    this.field = field;
  }
}

/** Reads the envelope; throws NoCall with what is wrong. */
export function readCall(body: string, key: string | undefined): Call | Probe {
  const envelope = objectOf(body);
  const { request_id: requestId, tool, args, tenant, mode, attempt, deadline } = envelope;
  if (typeof requestId !== 'string' || requestId === '') throw new NoCall('request_id must be a text.', 'request_id');
  if (key !== requestId) {
    throw new NoCall('The header X-Tether-Idempotency-Key must be there, and equal to request_id.', 'request_id');
  }
  if (typeof tool !== 'string') throw new NoCall('tool must be the name of a tool.', 'tool');
  const userId = isObject(tenant) && typeof tenant.user_id === 'string' ? tenant.user_id : '';
  const common = { requestId, tool, userId, attempt: Number(attempt ?? 1) };
  if (!Number.isInteger(common.attempt) || common.attempt < 1)
    throw new NoCall('attempt must be 1 or more.', 'attempt');
  if (mode === 'probe') return { ...common, mode };
  if (!isObject(args)) throw new NoCall('args must be an object.', 'args');
  if (mode !== 'read' && mode !== 'execute') throw new NoCall('mode must be read, execute or probe.', 'mode');
  const until = new Date(typeof deadline === 'string' ? deadline : Number.NaN);
  if (Number.isNaN(until.getTime())) throw new NoCall('deadline must be an ISO 8601 time.', 'deadline');
  return { ...common, mode, args, deadline: until };
}

function objectOf(body: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new NoCall('The body must be JSON.');
  }
  if (!isObject(value)) throw new NoCall('The body must be a JSON object.');
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text argument. The shop does not lean on anybody else's checks. */
export function textArgument(args: Args, field: string): string {
  const received = args[field];
  if (typeof received === 'string' && received !== '' && !received.includes('\u0000')) return received;
  throw new Refused('invalid_argument', `"${field}" must be a text.`, { field, received });
}

/** An amount of US dollars, as cents. */
export function centsArgument(args: Args, field: string): number {
  const received = args[field];
  const cents = typeof received === 'number' ? Math.round(received * 100) : Number.NaN;
  if (cents >= 0 && cents <= 1_000_000 && cents / 100 === received) return cents;
  const message = `"${field}" must be US dollars and whole cents, from 0 to 10000, like 12.5.`;
  throw new Refused('invalid_argument', message, { field, received, limit: 10_000 });
}
