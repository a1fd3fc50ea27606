import { Command, CommanderError } from 'commander';
import { unreachable } from './reachable.ts';
import { reportJson } from './report/json.ts';
import { findingText, listText, summaryText } from './report/text.ts';
import { runChecks } from './run-checks.ts';
import { readConfigFile } from './settings/config-file.ts';
import { type Given, isOptionName, type Option, options } from './settings/options.ts';
import { readSettings } from './settings/read-settings.ts';
import { UsageError } from './settings/settings.ts';

export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

interface Said extends Given {
  readonly config?: string;
  readonly json?: boolean;
  readonly list?: boolean;
}

/** Resolves with the exit code: 0 when no check failed, 1 when one did, 2 when it was called wrongly or nobody answers there. */
export async function runEndpointCheck(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  try {
    const said = parse(args, output);
    if (said.list === true) {
      output.out(listText());
      return 0;
    }
    const given = said.config === undefined ? said : { ...readConfigFile(said.config), ...said };
    const settings = readSettings(given, env);
    const why = await unreachable(settings.url, settings.timeoutMs);
    if (why !== undefined) throw new UsageError(`Nobody answers at ${settings.url.origin} (${why}).`);
    const json = said.json === true;
    const findings = await runChecks(settings, (finding) => json || output.out(findingText(finding)));
    output.out(json ? reportJson(settings, findings) : summaryText(findings));
    return findings.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
  } catch (error) {
    // The library has said already what is wrong; `--help` is no error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof UsageError)) throw error;
    output.err(`${error.message}\n`);
    return 2;
  }
}

function parse(args: readonly string[], output: Output): Said {
  const command = new Command('tether-endpoint-check')
    .description(
      "Plays Tether against a vendor's endpoint, and reports whether it keeps its side of the contract. It makes writes: let it at " +
        'an endpoint for trying only.',
    )
    .argument('[url]', "where the catalog's `url` leads; required, here or in the file")
    .option('--config <path>', 'a file in YAML or JSON with these options by their names, and `url`')
    .configureOutput({ writeOut: output.out, writeErr: output.err })
    .exitOverride();
  const all: readonly [string, Option][] = Object.entries(options);
  for (const [name, { value, description, many = false, default: fallback }] of all) {
    const told = fallback ? `${description} (${fallback})` : description;
    const flags = value === undefined ? `--${name}` : `--${name} <${value}>`;
    if (many) command.option(flags, told, (each: string, before: readonly string[] = []) => [...before, each]);
    else command.option(flags, told);
  }
  command.option('--json', 'print one JSON object: version, endpoint, checks, summary');
  command.option('--list', 'print the checks, and call nobody');
  command.addHelpText(
    'after',
    '\nExit code: 0 no check failed, 1 a check failed, 2 called wrongly or nobody answers there.',
  );
  command.parse(args, { from: 'user' });
  const said: Record<string, unknown> = command.opts();
  const [url] = command.args;
  const named = Object.entries(said).map(([camel, value]): [string, unknown] => [kebab(camel), value]);
  const known = named.filter(([name]) => isOptionName(name) || ['config', 'json', 'list'].includes(name));
  return { ...Object.fromEntries(known), ...(url !== undefined && { url }) };
}

function kebab(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
