import { type Command, CommanderError, type OutputConfiguration } from 'commander';
import { notDone, sayFault } from './fault.ts';
import type { Output } from './output.ts';

/** Whether a program reads what the command prints, also when the rest of what was typed cannot be understood. */
function isForPrograms(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? args.length : end).includes('--json');
}

/** Where Commander writes. What it says of a wrong call is for people; programs get {@link sayFault}'s one object instead. */
export function writesOf(
  args: readonly string[],
  { out, err }: Output,
): Pick<OutputConfiguration, 'writeOut' | 'writeErr'> {
  return { writeOut: out, writeErr: isForPrograms(args) ? () => undefined : err };
}

/** Understands what was typed and does it; false if it was called in a wrong way, which is told by then. */
export async function understood(tether: Command, args: readonly string[], output: Output): Promise<boolean> {
  try {
    await tether.parseAsync(args, { from: 'user' });
    return true;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return true;
    if (isForPrograms(args)) sayFault(notDone('INVALID_USAGE', wordsOf(error, tether, args)), 'json', output);
    return false;
  }
}

/** Commander writes for people: with a prefix, over lines, and of a command without a verb nothing but the help. */
function wordsOf({ code, message }: CommanderError, tether: Command, args: readonly string[]): string {
  const command = called(tether, args);
  const verbs = command.commands.map((each) => each.name());
  // Only the verbs know --json, so that its being unknown is no news.
  const isAlone = code === 'commander.help' || (verbs.length > 0 && message.includes("unknown option '--json'"));
  if (isAlone) return `say what to do: ${pathOf(command)} ${verbs.join('|')}`;
  return message.replace(/^error: /, '').replaceAll('\n', ' ');
}

/** The innermost command that is named. */
function called(tether: Command, args: readonly string[]): Command {
  let command = tether;
  for (const arg of args) command = command.commands.find((each) => each.name() === arg) ?? command;
  return command;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
