import { readFileSync } from 'node:fs';
import type { Transport } from '../protocol/protocol.ts';
import { type Given, type OptionName, options } from './options.ts';
import { type Json, type Settings, UsageError } from './settings.ts';

/** @throws UsageError with what is missing or wrong. */
export function readSettings(given: Given, env: NodeJS.ProcessEnv): Settings {
  const text = (name: OptionName): string => textOf(given, name) ?? '';
  const tool = text('tool');
  if (tool === '') throw new UsageError('--tool must name a write that may be made for trying.');
  const args = listOf(given.args).map((each) => jsonOf('args', each));
  if (args.length === 0) throw new UsageError('--args must say with which arguments the write is made.');
  return {
    url: urlOf(given.url),
    transport: transportOf(text('transport')),
    ...{ tool, args },
    ...(given['refused-args'] !== undefined && { refusedArgs: jsonOf('refused-args', given['refused-args']) }),
    ...(text('read') && { read: { tool: text('read'), args: jsonOf('read-args', given['read-args'] ?? {}) } }),
    ...(text('count-read') && {
      count: {
        tool: text('count-read'),
        args: jsonOf('count-args', given['count-args'] ?? {}),
        pointer: pointerOf(text('count-pointer')),
      },
    }),
    firstNumber: numberOf(given, 'first-number', 0, Number.MAX_SAFE_INTEGER),
    secrets: secretsOf(secretText(given, env, 'signing-secret-env', 'signing-secret-file')),
    bearer: secretText(given, env, 'bearer-env', 'bearer-file'),
    probe: given.probe === true,
    tenant: { id: text('tenant'), scope: text('scope'), userId: text('user') },
    atOnce: numberOf(given, 'at-once', 2, 100),
    timeoutMs: 1_000 * numberOf(given, 'timeout-seconds', 1, 600),
    maxResponseBytes: numberOf(given, 'max-response-bytes', 1, 16 * 1024 * 1024),
    only: namesOf(given.only),
    skip: namesOf(given.skip),
  };
}

function textOf(given: Given, name: OptionName): string | undefined {
  const value = given[name] ?? options[name].default;
  if (value === undefined) return undefined;
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new UsageError(`--${name} must be a text.`);
}

function numberOf(given: Given, name: OptionName, least: number, most: number): number {
  const said = textOf(given, name);
  const number = Number(said);
  if (said?.trim() && Number.isInteger(number) && number >= least && number <= most) return number;
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}, and is ${JSON.stringify(said)}.`);
}

function urlOf(given: unknown): URL {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  if (url && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '') return url;
  const said = url?.username || url?.password ? 'has a name or password in it' : `is ${JSON.stringify(given ?? '')}`;
  throw new UsageError(`The endpoint must be a URL, http://… or https://…, without a password; it ${said}.`);
}

function transportOf(said: string): Transport {
  if (said === 'json' || said === 'connect' || said === 'grpc') return said;
  throw new UsageError(`--transport must be json, connect or grpc, and is ${JSON.stringify(said)}.`);
}

function jsonOf(name: OptionName, given: unknown): Json {
  let value = given;
  if (typeof given === 'string') {
    try {
      value = JSON.parse(given);
    } catch {
      throw new UsageError(`--${name} must be a JSON object, and is ${given}`);
    }
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new UsageError(`--${name} must be a JSON object.`);
}

function pointerOf(said: string): string {
  if (said === '' || said.startsWith('/')) return said;
  throw new UsageError(`--count-pointer must be a JSON Pointer like /total, and is ${JSON.stringify(said)}.`);
}

function listOf(given: unknown): readonly unknown[] {
  if (given === undefined) return [];
  return Array.isArray(given) ? given : [given];
}

function namesOf(given: unknown): readonly string[] {
  return listOf(given)
    .flatMap((each) => String(each).split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** From the environment or a file: on a command line everybody on the machine could read it. */
function secretText(given: Given, env: NodeJS.ProcessEnv, byEnv: OptionName, byFile: OptionName): string | undefined {
  const [name, path] = [textOf(given, byEnv), textOf(given, byFile)];
  if (name && path) throw new UsageError(`Of --${byEnv} and --${byFile} only one can be given.`);
  if (name) {
    const value = env[name]?.trim();
    if (!value) throw new UsageError(`--${byEnv}: there is nothing in that variable.`);
    return value;
  }
  if (!path) return undefined;
  let value = '';
  try {
    value = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new UsageError(`--${byFile}: ${path} cannot be read (${code}).`);
  }
  if (value === '') throw new UsageError(`--${byFile}: there is nothing in ${path}.`);
  return value;
}

function secretsOf(said: string | undefined): readonly string[] {
  const secrets = said?.split(/\s+/) ?? [];
  secrets.forEach((secret, index) => {
    const bytes = Buffer.from(secret.replace(/^whsec_/, ''), 'base64').length;
    if (/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret) && bytes >= 24 && bytes <= 64) return;
    throw new UsageError(`Signing secret ${index + 1} must be whsec_ and the base64 of 24 to 64 bytes.`);
  });
  return secrets;
}
