import type { ActionableError } from '../domain/error.ts';
import type { Authorization } from '../lifecycle/ports/authorizer.ts';
import { faultOf } from './fault.ts';
import { jsonFromBytes } from './json-text.ts';
import { membersOf } from './json-tree.ts';
import { reasonIn } from './refusal.ts';
import type { Verdict } from './transport.ts';

/** `fault`: why it is no answer, for the log; undefined when the authorizer was understood. */
export interface VerdictReading {
  readonly authorization: Authorization;
  readonly fault?: string;
}

/**
 * What an authorizer said (DESIGN §2.2 step 6). Only a clear yes is one, and a clear no is worth passing on; everything else
 * is no answer, which refuses too.
 */
export function classifyVerdict(reply: Verdict): VerdictReading {
  if (reply.kind === 'decided') return decided(reply.allowed, reply.reason);
  if (reply.kind !== 'http') return noAnswer(faultOf(reply));
  const { status, body } = reply;
  const good = status >= 200 && status <= 299;
  if (!good && status !== 401 && status !== 403) return noAnswer(faultOf(reply));
  const json = jsonFromBytes(body);
  const members = json && membersOf(json);
  const allowed = members?.get('allowed');
  const reason = members?.get('reason');
  if (allowed === 'false') return decided(false, reason === undefined ? undefined : reasonIn(reason));
  if (allowed === 'true' && good) return decided(true, undefined);
  return noAnswer(good ? 'no JSON object with "allowed": true or false' : faultOf(reply));
}

function decided(allowed: boolean, reason: ActionableError | undefined): VerdictReading {
  return { authorization: allowed ? { kind: 'allowed' } : { kind: 'denied', reason: reason ?? null } };
}

/** Not asked, or not understood; why goes to the log. */
export function noAnswer(fault: string): VerdictReading {
  return { authorization: { kind: 'unavailable' }, fault };
}
