import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseActionId, type State, states } from '../domain/action.ts';
import type { CallerOptions } from './actions/caller.ts';
import type { Output } from './output.ts';

/** Where the example server is. */
const usualUrl = 'http://127.0.0.1:8080';

interface FilterOptions {
  readonly state: readonly State[];
  readonly plan?: string;
  readonly tool?: string;
  readonly user?: string;
  readonly scope?: string;
  readonly needsAttention?: true;
}

/** Adds `tether actions`; `done` is told the exit code. */
export function addActions(
  tether: Command,
  env: NodeJS.ProcessEnv,
  output: Output,
  done: (code: number) => void,
): void {
  const actions = tether
    .command('actions')
    .description('what waits for a person, and what became of it: asks a running server, with a key')
    .addHelpText('after', help)
    .helpCommand(false);
  const command = (name: string, description: string) =>
    actions
      .command(name)
      .description(description)
      .addOption(
        new Option('--url <url>', 'the HTTP door of the server').default(
          env.TETHER_URL?.trim() || usualUrl,
          `TETHER_URL, or ${usualUrl}`,
        ),
      )
      .option('--key-file <file>', 'a file with the key, or the keys.json of a first start (default: TETHER_KEY)')
      .option('--json', 'print JSON, also for what went wrong', false)
      .addHelpText('after', exitCodes);

  filtered(command('list', 'Lists actions, newest first.'))
    .option('--limit <number>', 'at most so many', atMost, 100)
    .action(async (options: CallerOptions & FilterOptions & { readonly limit: number }) => {
      const { listActions } = await import('./actions/actions.ts');
      done(await listActions({ ...options, filter: filterOf(options) }, env, output));
    });

  command('get', 'Shows all that is known of an action.')
    .argument('<action-id>', 'as list tells it', actionId)
    .action(async (id: string, options: CallerOptions) => {
      const { getAction } = await import('./actions/actions.ts');
      done(await getAction(id, options, env, output));
    });

  command('confirm', 'Shows an action, asks, and confirms what was shown.')
    .argument('<action-id>', 'as list tells it', actionId)
    .option('--yes', 'do not ask', false)
    .option('--digest <digest>', 'confirm only if it is still this: the digest that you were shown elsewhere')
    .option('--acknowledge-high-risk', 'where the action asks for it', false)
    .option('--acknowledge-indeterminate', 'make another attempt although an earlier one is in doubt', false)
    .action(async (id: string, options) => {
      const { confirmAction } = await import('./actions/actions.ts');
      done(await confirmAction(id, options, env, output));
    });

  command('reject', 'Says no, with a reason that the model gets.')
    .argument('<action-id>', 'as list tells it', actionId)
    .requiredOption('--reason <why>', '1 to 2000 characters')
    .action(async (id: string, options) => {
      const { rejectAction } = await import('./actions/actions.ts');
      done(await rejectAction(id, options, env, output));
    });

  filtered(command('watch', 'Tells actions as they are and then every change, until it is interrupted; a line each.'))
    .option('--cursor <cursor>', 'go on after this, as --json told it')
    .action(async (options: CallerOptions & FilterOptions & { readonly cursor?: string }) => {
      const { watchActions } = await import('./actions/watch.ts');
      done(await watchActions({ cursor: undefined, ...options, filter: filterOf(options) }, env, output));
    });
}

function filtered(command: Command): Command {
  return command
    .addOption(
      new Option('--state <state>', `only in this state; may be repeated: ${states.join(', ')}`)
        .argParser(more)
        .default([], 'all'),
    )
    .option('--needs-attention', 'only what a person has to look at')
    .option('--tool <tool>', 'only of this tool')
    .option('--plan <id>', 'only of this plan')
    .option('--user <id>', 'only on behalf of this user')
    .option('--scope <scope>', 'only in this part of the tenant');
}

function filterOf({ state, plan, tool, user, scope, needsAttention }: FilterOptions) {
  return { states: state, planId: plan, tool, userId: user, scope, needsAttention };
}

function more(value: string, before: readonly State[]): readonly State[] {
  const state = states.find((each) => each === value.toUpperCase());
  if (state !== undefined) return [...before, state];
  throw new InvalidArgumentError(`It is one of ${states.join(', ')}.`);
}

function actionId(value: string): string {
  const id = parseActionId(value);
  if (id !== undefined) return id;
  throw new InvalidArgumentError('An action’s id is a UUID, as list tells it.');
}

function atMost(value: string): number {
  const number = /^[1-9]\d{0,5}$/.test(value) ? Number(value) : Number.NaN;
  if (number <= 100_000) return number;
  throw new InvalidArgumentError('It is a whole number from 1 to 100000.');
}

const exitCodes = `
Exit codes:
  0  done; for confirm: executed, or answered from the record
  1  refused, or it did not succeed: nothing is in doubt
  2  called in a wrong way
  3  nobody can know what came of it: get the action before anything is repeated`;

const help = `
The key is read from TETHER_KEY or from a file, never from the command line. To confirm takes an approver's.

Examples:
  export TETHER_KEY=$(node -p "require('./.tether/keys.json').approver")
  tether actions list --state pending
  tether actions get 9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33
  tether actions confirm 9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33
  tether actions reject 9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33 --reason "Not today."
  tether actions watch --needs-attention --json
${exitCodes}`;
