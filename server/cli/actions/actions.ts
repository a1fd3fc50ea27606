import type { Action, ActionFilter, Confirmed, TetherClient } from '@tether/client';
import { pages } from '@tether/client';
import { faultJson } from '../fault.ts';
import type { Output } from '../output.ts';
import { Refused } from '../told.ts';
import { saidYes } from './ask.ts';
import { type CallerOptions, callerOf } from './caller.ts';
import { type Answer, answered, unknownOutcome } from './outcome.ts';
import { actionJson, actionLine, actionText, noneText } from './report.ts';

/** `tether actions list`. */
export function listActions(
  options: CallerOptions & { readonly filter: ActionFilter; readonly limit: number },
  env: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  return answered(options, output, async () => {
    const client = callerOf(options, env, 'approver');
    const found: Action[] = [];
    for await (const { actions } of pages(client.list, { ...options.filter, pageSize: Math.min(options.limit, 200) })) {
      found.push(...actions.slice(0, options.limit - found.length));
      if (found.length === options.limit) break;
    }
    return {
      json: { actions: found.map(actionJson) },
      text: found.map(actionLine).join('') || noneText(options.filter),
      code: 0,
    };
  });
}

/** `tether actions get`. */
export function getAction(id: string, options: CallerOptions, env: NodeJS.ProcessEnv, output: Output): Promise<number> {
  return answered(options, output, async () => {
    const { action } = await callerOf(options, env, 'approver').get({ actionId: id });
    return { json: { action: actionJson(action) }, text: actionText(action), code: 0 };
  });
}

export interface ConfirmOptions extends CallerOptions {
  /** Without being asked. */
  readonly yes: boolean;
  /** What the action must be; undefined: what it is now. */
  readonly digest: string | undefined;
  readonly acknowledgeHighRisk: boolean;
  readonly acknowledgeIndeterminate: boolean;
}

/** `tether actions confirm`: shows the action, asks, and confirms what was shown and nothing else. */
export function confirmAction(
  id: string,
  options: ConfirmOptions,
  env: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  return answered(options, output, async () => {
    const client = callerOf(options, env, 'approver');
    const { action } = await client.get({ actionId: id });
    if (!options.yes) await askFor(action, output);
    const previewDigest = options.digest ?? action.previewDigest;
    const { acknowledgeHighRisk, acknowledgeIndeterminate } = options;
    const seen = { id, attemptsUsed: action.attemptsUsed, previewDigest };
    return confirmedAnswer(await client.confirm({ action: seen, acknowledgeHighRisk, acknowledgeIndeterminate }));
  });
}

async function askFor(action: Action, output: Output): Promise<void> {
  if (!process.stdin.isTTY)
    throw new Refused('Nobody is there to be asked: say --yes to confirm without a question. Nothing was confirmed.');
  output.err(actionText(action));
  const person = { input: process.stdin, output: process.stderr };
  if (!(await saidYes('Confirm this? Type "yes": ', person))) throw new Refused('Nothing was confirmed.');
}

function confirmedAnswer({ status, action, resultJson, error, idempotentReplay }: Confirmed): Answer {
  const done = status === 'EXECUTED' || status === 'REPLAYED';
  const code = done ? 0 : action.effect === 'UNKNOWN' ? unknownOutcome : 1;
  const reason = error === undefined ? '' : `${error.code}: ${error.message}\n`;
  return {
    json: {
      status,
      action: actionJson(action),
      result_json: resultJson ?? null,
      error: error === undefined ? null : faultJson(error),
      idempotent_replay: idempotentReplay,
    },
    text: `${status}\n${reason}${resultJson === undefined ? '' : `${resultJson}\n`}`,
    code,
  };
}

/** `tether actions reject`. */
export function rejectAction(
  id: string,
  options: CallerOptions & { readonly reason: string },
  env: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  return answered(options, output, async () => {
    const client: TetherClient = callerOf(options, env, 'approver');
    const { action, idempotentReplay } = await client.reject({ actionId: id, reason: options.reason });
    const json = { action: actionJson(action), idempotent_replay: idempotentReplay };
    return { json, text: actionLine(action), code: 0 };
  });
}
