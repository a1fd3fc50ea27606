/** What was given for each setting, and where: the environment, or for secrets a file that it names. */
import { readFileSync } from 'node:fs';
import { isParameter } from './database-url.ts';
import { type Setting, type SettingName, settings } from './settings.ts';

export interface SettingValue {
  /** Without spaces around it; the default when nothing was given. */
  readonly text: string;
  readonly from: 'environment' | 'file' | 'default';
}

export type SettingValues = Readonly<Record<SettingName, SettingValue>>;

type Environment = Readonly<Record<string, string | undefined>>;

const names = Object.keys(settings) as SettingName[];

/** Reads all of them; an empty value is as good as none. What is wrong with where they come from is added to the problems. */
export function readSettingValues(env: Environment, problems: string[]): SettingValues {
  refuseUnknown(env, problems);
  const values = names.map((name) => [name, given(name, env, problems)] as const);
  // Every name is there once.
  return Object.fromEntries(values) as SettingValues;
}

function given(name: SettingName, env: Environment, problems: string[]): SettingValue {
  const value = env[name]?.trim() ?? '';
  const file = isSecret(name) ? (env[fileNameOf(name)]?.trim() ?? '') : '';
  if (value !== '' && file !== '') problems.push(`${name} and ${fileNameOf(name)} are both set; set one of them.`);
  if (value !== '') return { text: value, from: 'environment' };
  if (file !== '') return { text: contentOf(name, file, problems), from: 'file' };
  return { text: settings[name].default, from: 'default' };
}

function contentOf(name: SettingName, file: string, problems: string[]): string {
  try {
    const content = readFileSync(file, 'utf8').trim();
    if (content === '') problems.push(`${fileNameOf(name)} names ${file}, which is empty.`);
    return content;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    problems.push(`${fileNameOf(name)} names ${file}, which cannot be read${code}.`);
    return '';
  }
}

/** What `tether actions` reads, in whose shell a server may be started too. */
const clientVariables: readonly string[] = ['TETHER_URL', 'TETHER_KEY'];

function refuseUnknown(env: Environment, problems: string[]): void {
  const known = new Set<string>([...names, ...names.filter(isSecret).map(fileNameOf)]);
  for (const name of Object.keys(env)) {
    if (!name.startsWith('TETHER_') || known.has(name) || clientVariables.includes(name)) continue;
    problems.push(`${name} is no setting; there are ${names.join(', ')}.`);
  }
}

function isSecret(name: SettingName): boolean {
  return 'secret' in settings[name];
}

/** The setting that names a file with the value of a secret one. */
function fileNameOf(name: SettingName): string {
  return `${name}_FILE`;
}

/** A value as it may be shown: nothing that opens anything is left in it. */
export function shownValue(name: SettingName, text: string): string {
  const setting: Setting = settings[name];
  if (text === '' || setting.secret === undefined) return text;
  const url = setting.secret === 'url' ? URL.parse(text) : null;
  if (url === null || url.hash !== '') return mask;
  // The rest of a password that was not escaped looks like a parameter.
  for (const key of url.searchParams.keys()) if (!/pass/i.test(key) && !isParameter(key)) return mask;
  if (url.password !== '') url.password = mask;
  for (const key of url.searchParams.keys()) if (/pass/i.test(key)) url.searchParams.set(key, mask);
  return url.href;
}

const mask = '***';
