import type { ActionFilter } from '@tether/client';
import { shown } from '../../domain/preview.ts';
import type { Output } from '../output.ts';
import { type CallerOptions, callerOf } from './caller.ts';
import { failed } from './outcome.ts';
import { actionJson, actionLine } from './report.ts';

/** `tether actions watch`: a line per update, until it is interrupted; resolves with the exit code. */
export async function watchActions(
  options: CallerOptions & { readonly filter: ActionFilter; readonly cursor: string | undefined },
  env: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  const { json, url, filter, cursor } = options;
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  // Whoever read this has seen enough, as with `| head`.
  process.stdout.on('error', () => ending.abort());
  const line = (value: object): void => output.out(`${JSON.stringify(value)}\n`);
  try {
    const client = callerOf(options, env, 'approver');
    const onInterrupted = (): void => output.err('the connection broke; it is made again\n');
    for await (const update of client.watch({ ...filter, cursor }, { signal: ending.signal, onInterrupted })) {
      switch (update.kind) {
        case 'snapshot':
          if (json) line({ kind: 'snapshot', action: actionJson(update.action) });
          else output.out(actionLine(update.action));
          break;
        case 'current':
          if (json) line({ kind: 'current', cursor: update.cursor });
          break;
        case 'change': {
          const { event, action } = update;
          if (json)
            line({
              kind: 'change',
              event: event.type,
              action: action ? actionJson(action) : null,
              cursor: update.cursor,
            });
          else output.out(action ? actionLine(action) : `${shown(event.actionId)}  ${event.type}\n`);
          break;
        }
      }
    }
    return 0;
  } catch (error) {
    return failed(error, url, json ? 'lines' : 'text', output);
  }
}
