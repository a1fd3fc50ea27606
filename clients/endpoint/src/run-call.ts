/** From a call to what came of it: the tool's handler, a read at once, a write through the ledger. */
import { argumentsDigest } from './arguments-digest.ts';
import type { Invocation } from './invocation.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Outcome } from './outcome.ts';
import { type Reason, Refusal } from './refusal.ts';
import { type RefusalRecord, recordOf } from './refusal-record.ts';
import { resultText } from './result-text.ts';
import type { Call, ReadTool, Tools, WriteTool } from './tool.ts';

export interface RunOptions<Tx> {
  readonly tools: Tools<Tx>;
  readonly ledger: Ledger<Tx> | undefined;
  readonly maxResultBytes: number;
  readonly now: () => number;
}

/** Rejects with what a handler or a ledger threw. */
export type RunCall = (invocation: Invocation) => Promise<Outcome>;

export function createRunCall<Tx>({ tools, ledger, maxResultBytes, now }: RunOptions<Tx>): RunCall {
  const named = new Map(Object.entries<ReadTool | WriteTool<Tx>>(tools));

  const refusalOf = (error: unknown): RefusalRecord | undefined =>
    error instanceof Refusal ? recordOf(error.reason, maxResultBytes) : undefined;

  const refused = (reason: Reason): Outcome => ({
    kind: 'refused',
    refusal: recordOf(reason, maxResultBytes),
    replayed: false,
  });

  async function read(tool: ReadTool, invocation: Invocation): Promise<Outcome> {
    const { args, deadline } = invocation;
    if (now() >= deadline.getTime()) {
      const clocks = `it was ${deadline.toISOString()}, and it is ${new Date(now()).toISOString()} here`;
      return { kind: 'late', code: 'past_deadline', message: `The call is past its deadline: ${clocks}.` };
    }
    try {
      const result = await tool.handle(args, callOf(invocation, now));
      return { kind: 'result', json: resultText(result, invocation.tool, maxResultBytes), replayed: false };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      return { kind: 'refused', refusal, replayed: false };
    }
  }

  async function write(tool: WriteTool<Tx>, invocation: Invocation): Promise<Outcome> {
    if (ledger === undefined) throw new Error('a write without a ledger');
    const { requestId: key, tenant, args, attempt, deadline, actionId } = invocation;
    const digest = await argumentsDigest(args);
    return ledger.once(
      { key, tenant: tenant.id, tool: invocation.tool, argumentsDigest: digest, attempt, deadline },
      async (tx) => {
        const result = await tool.handle(args, Object.assign(callOf(invocation, now), { actionId, tx }));
        return resultText(result, invocation.tool, maxResultBytes);
      },
      refusalOf,
    );
  }

  return async (invocation) => {
    const { tool: name, mode } = invocation;
    const tool = named.get(name);
    if (tool === undefined) {
      const message = `There is no tool ${name} here; nothing was done.`;
      return refused({ code: 'unknown_tool', message, field: 'tool', received: name, accepted: [...named.keys()] });
    }
    // A catalog that declares a write as a read would have it run unasked and repeated: not here.
    const wanted = tool.isWrite ? 'execute' : 'read';
    if (mode !== wanted) {
      const message = `${name} is a ${tool.isWrite ? 'write' : 'read'}; nothing was done.`;
      return refused({ code: 'wrong_mode', message, field: 'mode', received: mode, accepted: [wanted] });
    }
    return tool.isWrite ? write(tool, invocation) : read(tool, invocation);
  };
}

/** The longest that a timer takes, milliseconds. */
const longestTimer = 2 ** 31 - 1;

function callOf({ requestId, tool, tenant, attempt, deadline }: Invocation, now: () => number): Call {
  let signal: AbortSignal | undefined;
  return {
    ...{ requestId, tool, tenant, attempt, deadline },
    // Most handlers need no timer.
    get signal() {
      signal ??= AbortSignal.timeout(Math.min(longestTimer, Math.max(0, deadline.getTime() - now())));
      return signal;
    },
  };
}
