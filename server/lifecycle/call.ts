import { CallError } from '../domain/error.ts';
import type { errorText } from '../domain/model-text.ts';
import { errorOf } from '../domain/outcome.ts';
import type { Principal } from '../domain/principal.ts';
import { maySeeScope } from '../domain/principal.ts';
import type { Tool } from '../domain/tool.ts';
import { findTool } from './find-tool.ts';
import type { Called, CallInput } from './lifecycle.ts';
import { visibleTo } from './list.ts';
import { acceptedArguments } from './propose.ts';
import type { StagePorts } from './stage.ts';
import { foreignScope, stage } from './stage.ts';
import { assertNotStopped } from './stops/not-stopped.ts';

const mostPending = 100;

/** One tool call of a model: a read runs, with its retries; a write is staged and runs nothing (DESIGN §3). */
export async function call(
  ports: StagePorts,
  principal: Principal,
  input: CallInput,
  signal: AbortSignal,
): Promise<Called> {
  const tool = findTool(ports.catalog, input.tool, 'call');
  if (!tool.isWrite) {
    const result = await read(ports, tool, principal, input, signal);
    return {
      modelJson: result,
      result,
      action: null,
      error: null,
      idempotentReplay: false,
      pending: await pendingOf(ports, principal, input.planId),
    };
  }
  const { action, error, modelJson, idempotentReplay } = await stage(ports, principal, input, signal);
  return {
    modelJson,
    result: null,
    action,
    error,
    idempotentReplay,
    pending: await pendingOf(ports, principal, action.planId),
  };
}

async function read(
  ports: StagePorts,
  tool: Tool,
  principal: Principal,
  input: CallInput,
  signal: AbortSignal,
): Promise<string> {
  if (!maySeeScope(principal, input.scope)) throw foreignScope(principal, input.scope);
  const { text } = acceptedArguments(tool, input.argumentsJson);
  await assertNotStopped(ports.stops, principal.tenantId, tool);
  const tenant = { id: principal.tenantId, scope: input.scope, userId: input.userId };
  const answer = await ports.dispatcher.read({
    endpoint: tool.endpoint,
    tool: tool.name,
    arguments: text,
    tenant,
    signal,
  });
  signal.throwIfAborted();
  if (answer.kind === 'result') return answer.result;
  throw readFailed(answer.error);
}

function readFailed({ code, ...detail }: Parameters<typeof errorText>[0]): CallError {
  const known = code === 'RESPONSE_TOO_LARGE' || code === 'RESPONSE_INVALID' ? code : 'TOOL_UNAVAILABLE';
  return new CallError(known, detail);
}

/** What a plan has waiting for a person, oldest first. */
async function pendingOf({ store }: StagePorts, principal: Principal, planId: string): Promise<Called['pending']> {
  if (planId === '') return [];
  const { items } = await store.list({
    ...visibleTo(principal, { planId, states: ['PENDING'] }),
    limit: mostPending,
    after: null,
  });
  return items
    .map((observed) => ({ action: observed.action, error: errorOf(observed) }))
    .toSorted((a, b) => a.action.placedAt.getTime() - b.action.placedAt.getTime());
}
