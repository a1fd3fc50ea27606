import { ConfigError, readConfig } from '../config.ts';
import { readSettingValues, shownValue } from '../setting-values.ts';
import { type SettingName, settings } from '../settings.ts';
import { type Output, usageFault } from './output.ts';

interface Shown {
  readonly name: string;
  /** Null for none. */
  readonly value: string | null;
  readonly from: string;
}

/** `tether config`; the exit code: 0 they can be used, 2 they cannot. */
export function showConfig({ json }: { readonly json: boolean }, env: NodeJS.ProcessEnv, output: Output): number {
  const rows = settingsShown(env);
  const problems = problemsOf(env);
  if (json) output.out(`${JSON.stringify({ settings: rows, problems }, null, 2)}\n`);
  else {
    output.out(table(rows));
    for (const problem of problems) output.err(`${problem}\n`);
  }
  return problems.length === 0 ? 0 : usageFault;
}

function settingsShown(env: NodeJS.ProcessEnv): Shown[] {
  const values = readSettingValues(env, []);
  const ours = (Object.keys(settings) as SettingName[]).map((name) => {
    const { text, from } = values[name];
    return { name, value: shownValue(name, text) || null, from };
  });
  return [...ours, ...standardOnes(env)];
}

/** OpenTelemetry's, as far as they are set: there are many, and the library knows their defaults. */
function standardOnes(env: NodeJS.ProcessEnv): Shown[] {
  const given = Object.entries(env).filter(([name, value]) => name.startsWith('OTEL_') && value !== '');
  return given.sort().map(([name, value = '']) => {
    // Headers hold keys.
    return { name, value: /HEADERS/.test(name) ? '***' : value, from: 'environment' };
  });
}

function problemsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

function table(rows: readonly Shown[]): string {
  const cells = rows.map(({ name, value, from }) => [name, value ?? 'none', from]);
  const width = (column: number) => Math.max(...cells.map((row) => row[column]?.length ?? 0));
  const [names, values] = [width(0), width(1)];
  return cells
    .map(([name = '', value = '', from = '']) => `${name.padEnd(names)}  ${value.padEnd(values)}  ${from}\n`)
    .join('');
}
