/** Calls and answers as messages of `tether.v1.ToolEndpoint`, which Connect and gRPC carry alike. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Effect } from '@tether/proto/clients/tether/v1/effect_pb.ts';
import { ProbeDisposition } from '@tether/proto/clients/tether/v1/probe_disposition_pb.ts';
import {
  InvokeMode,
  InvokeRequestSchema,
  InvokeResponseSchema,
  ProbeRequestSchema,
  ProbeResponseSchema,
} from '@tether/proto/clients/tether/v1/tool_endpoint_pb.ts';
import type { Disposition, Said } from '../contract/answer.ts';
import { actionIdOf, type Call } from '../contract/call.ts';
import { parsed } from './json-answer.ts';

export const service = '/tether.v1.ToolEndpoint';

/** Field 1900, a text: in no `.proto` yet. */
const unheardOf = Uint8Array.from([0xe2, 0x76, 0x03, 0x6e, 0x65, 0x77]);

export function requestBytes(call: Call): Uint8Array {
  const { requestId, tool, args, tenant, mode, attempt, deadline, fromTheFuture = false } = call;
  const common = { requestId, tool, tenant, attempt, actionId: actionIdOf(call) };
  const bytes =
    mode === 'probe'
      ? toBinary(ProbeRequestSchema, create(ProbeRequestSchema, common))
      : toBinary(
          InvokeRequestSchema,
          create(InvokeRequestSchema, {
            ...{ ...common, argumentsJson: args, isWrite: mode === 'execute', deadline: timestampFromDate(deadline) },
            mode: mode === 'execute' ? InvokeMode.EXECUTE : InvokeMode.READ,
          }),
        );
  return fromTheFuture ? Buffer.concat([bytes, unheardOf]) : bytes;
}

/** What a message says, and the JSON text that counts against the cap. */
export function messageSaid(bytes: Uint8Array, asked: 'invoke' | 'probe'): { said: Said; text: string } {
  try {
    return asked === 'invoke' ? invokeSaid(bytes) : probeSaid(bytes);
  } catch {
    const said: Said = {
      kind: 'unreadable',
      why: `the message is no ${asked === 'invoke' ? 'Invoke' : 'Probe'}Response`,
    };
    return { said, text: '' };
  }
}

function invokeSaid(bytes: Uint8Array): { said: Said; text: string } {
  const { outcome } = fromBinary(InvokeResponseSchema, bytes);
  if (outcome.case === 'resultJson') {
    const text = outcome.value;
    if (parsed(text) === undefined) return { said: { kind: 'unreadable', why: '`result_json` is no JSON' }, text };
    return { said: { kind: 'result', json: text }, text };
  }
  if (outcome.case !== 'refusal') return { said: { kind: 'unreadable', why: 'it has no outcome' }, text: '' };
  const { code, message, effect } = outcome.value;
  const left = effect === Effect.APPLIED ? 'applied' : effect === Effect.UNKNOWN ? 'unknown' : 'none';
  return {
    said: { kind: 'refused', refusal: { code: code || undefined, message: message || undefined, effect: left } },
    text: `refusal ${code}: ${message}`,
  };
}

const dispositions: Readonly<Record<number, Disposition>> = {
  [ProbeDisposition.EXECUTED]: 'executed',
  [ProbeDisposition.NOT_EXECUTED]: 'not_executed',
  [ProbeDisposition.IN_PROGRESS]: 'in_progress',
  [ProbeDisposition.UNKNOWN]: 'unknown',
};

function probeSaid(bytes: Uint8Array): { said: Said; text: string } {
  const { disposition: number, resultJson } = fromBinary(ProbeResponseSchema, bytes);
  const disposition = dispositions[number];
  if (disposition === undefined) return { said: { kind: 'unreadable', why: 'its disposition is not set' }, text: '' };
  return {
    said: { kind: 'probed', disposition, result: resultJson || undefined },
    text: `${disposition} ${resultJson}`.trim(),
  };
}
