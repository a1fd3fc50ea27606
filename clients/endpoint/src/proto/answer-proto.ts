/** A call as a message of `tether.v1.ToolEndpoint`, whichever protocol carried it. */
import { create } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { ProbeDisposition } from '@tether/proto/clients/tether/v1/probe_disposition_pb.ts';
import {
  InvokeMode,
  type InvokeRequest,
  type InvokeResponse,
  InvokeResponseSchema,
  type ProbeRequest,
  type ProbeResponse,
  ProbeResponseSchema,
} from '@tether/proto/clients/tether/v1/tool_endpoint_pb.ts';
import type { Endpoint } from '../endpoint.ts';
import { assertCall, type Invocation, MalformedCall, type ProbeQuestion } from '../invocation.ts';
import type { Args } from '../tool.ts';
import { errorMessage } from './error-message.ts';
import { RpcFault } from './rpc-fault.ts';

/** `key`: the metadata X-Tether-Idempotency-Key. @throws RpcFault, and nothing else. */
export async function answerInvoke(
  endpoint: Endpoint,
  request: InvokeRequest,
  key: string | null | undefined,
): Promise<InvokeResponse> {
  const outcome = await endpoint.invoke(read(endpoint, () => invocationOf(request, key)));
  switch (outcome.kind) {
    case 'result':
      return create(InvokeResponseSchema, { outcome: { case: 'resultJson', value: outcome.json } });
    case 'refused':
      return create(InvokeResponseSchema, { outcome: { case: 'refusal', value: errorMessage(outcome.refusal) } });
    case 'late':
      throw new RpcFault('aborted', outcome.message);
    case 'failed':
      throw failed();
  }
}

/** @throws RpcFault, and nothing else. */
export async function answerProbe(
  endpoint: Endpoint,
  request: ProbeRequest,
  key: string | null | undefined,
): Promise<ProbeResponse> {
  const outcome = await endpoint.probe(read(endpoint, () => questionOf(request, key)));
  switch (outcome.kind) {
    case 'executed':
      return create(ProbeResponseSchema, { disposition: ProbeDisposition.EXECUTED, resultJson: outcome.result });
    case 'not_executed':
      return create(ProbeResponseSchema, {
        disposition: ProbeDisposition.NOT_EXECUTED,
        refusal: outcome.refusal && errorMessage(outcome.refusal),
      });
    case 'in_progress':
      return create(ProbeResponseSchema, { disposition: ProbeDisposition.IN_PROGRESS });
    case 'unknown':
      return create(ProbeResponseSchema, { disposition: ProbeDisposition.UNKNOWN });
    case 'failed':
      throw failed();
  }
}

function failed(): RpcFault {
  return new RpcFault('internal', 'The call failed, and may have been carried out before it did.');
}

function read<T>(endpoint: Endpoint, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const malformed = error instanceof MalformedCall;
    endpoint.notRead(malformed ? 'malformed' : 'failed', error);
    throw malformed ? new RpcFault('invalid_argument', error.message) : failed();
  }
}

function invocationOf(request: InvokeRequest, key: string | null | undefined): Invocation {
  const question = questionOf(request, key);
  const { mode, deadline } = request;
  if (mode !== InvokeMode.READ && mode !== InvokeMode.EXECUTE) {
    throw new MalformedCall('mode must be READ or EXECUTE.', 'mode');
  }
  if (deadline === undefined) throw new MalformedCall('deadline must be there.', 'deadline');
  const until = timestampDate(deadline);
  if (Number.isNaN(until.getTime())) throw new MalformedCall('deadline is out of range.', 'deadline');
  const args = argsOf(request.argumentsJson);
  return { ...question, args, mode: mode === InvokeMode.READ ? 'read' : 'execute', deadline: until };
}

function questionOf(request: InvokeRequest | ProbeRequest, key: string | null | undefined): ProbeQuestion {
  const { requestId, tool, tenant, actionId, attempt } = request;
  const { id = '', scope = '', userId = '' } = tenant ?? {};
  const question = { requestId, tool, tenant: { id, scope, userId }, actionId, attempt };
  assertCall(question, key);
  return question;
}

function argsOf(text: string): Args {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedCall('arguments_json must be a JSON object.', 'arguments_json');
  }
  return { ...value };
}
