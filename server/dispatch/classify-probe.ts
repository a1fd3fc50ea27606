/**
 * What the answer to a question about a write means (DESIGN §2.3). It can settle a doubt, so only what is whole and clear
 * counts: everything else is UNKNOWN, an answer that contradicts itself too.
 */
import type { ProbeAnswer, ProbeDisposition } from '../lifecycle/ports/dispatcher.ts';
import { faultOf } from './fault.ts';
import { jsonFromBytes, jsonFromText } from './json-text.ts';
import { membersOf } from './json-tree.ts';
import { reasonIn } from './refusal.ts';
import type { ProbeReply } from './transport.ts';
import { errorMember } from './vendor-error.ts';

/** `fault`: why it says nothing, for the log; undefined when the endpoint was understood. */
export interface ProbeReading {
  readonly answer: ProbeAnswer;
  readonly fault?: string;
}

type Probed = Extract<ProbeReply, { kind: 'probed' }>;

const dispositions = new Map<unknown, ProbeDisposition>([
  ['executed', 'EXECUTED'],
  ['not_executed', 'NOT_EXECUTED'],
  ['in_progress', 'IN_PROGRESS'],
  ['unknown', 'UNKNOWN'],
]);

/** `maxResultBytes`: of the result, which an ordinary answer could not have exceeded either. */
export function classifyProbe(reply: ProbeReply, maxResultBytes: number): ProbeReading {
  const probed = reply.kind === 'http' && reply.status >= 200 && reply.status <= 299 ? inJson(reply.body) : reply;
  if (probed === undefined) return saysNothing('no JSON object that says each thing once, and no error');
  if (probed.kind !== 'probed') return saysNothing(faultOf(probed));
  const { disposition, result = null, refusal = null } = probed;
  switch (disposition) {
    case 'EXECUTED':
      if (result === null) return { answer: { disposition, result, refusal: null } };
      if (Buffer.byteLength(result) > maxResultBytes) return saysNothing('a result over the cap');
      return byResult(result);
    case 'NOT_EXECUTED':
      if (refusal !== null && refusal.effect !== 'NONE') return saysNothing('not executed, with an effect');
      return { answer: { disposition, result: null, refusal } };
    case 'IN_PROGRESS':
    case 'UNKNOWN':
      return { answer: { disposition, result: null, refusal: null } };
    case undefined:
      return saysNothing('a disposition that does not exist');
  }
}

function byResult(result: string): ProbeReading {
  const json = jsonFromText(result);
  if (json === undefined) return saysNothing('a result that is no JSON');
  if (errorMember(json) !== undefined) return saysNothing('executed, with an error for a result');
  return { answer: { disposition: 'EXECUTED', result, refusal: null } };
}

function inJson(body: Uint8Array): Probed | undefined {
  const json = jsonFromBytes(body);
  const members = json && errorMember(json) === undefined ? membersOf(json) : undefined;
  if (members === undefined) return undefined;
  const refusal = members.get('refusal');
  return {
    kind: 'probed',
    disposition: dispositions.get(jsonFromText(members.get('disposition') ?? '')?.value),
    result: members.get('result'),
    refusal: refusal === undefined ? undefined : reasonIn(refusal),
  };
}

/** Nothing is known; why goes to the log. */
export function saysNothing(fault: string): ProbeReading {
  return { answer: { disposition: 'UNKNOWN', result: null, refusal: null }, fault };
}
