import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NpmStart, npmStart } from '../support/npm-start.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A block of commands, and what the README says that it prints. */
interface Step {
  readonly commands: string;
  readonly prints: unknown;
}

function stepsOf(readme: string, heading: string): Step[] {
  const from = readme.indexOf(`\n## ${heading}\n`);
  expect(from).toBeGreaterThan(-1);
  const section = readme.slice(from, readme.indexOf('\n## ', from + 1));
  const steps: Step[] = [];
  for (const [, language, text = ''] of section.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)) {
    if (language === 'sh') steps.push({ commands: text, prints: undefined });
    const last = steps.at(-1);
    if (language === 'json' && last !== undefined) steps[steps.length - 1] = { ...last, prints: JSON.parse(text) };
  }
  return steps;
}

/** What a printed example promises: the fields it names, with `…` for what differs from run to run. */
function promised(value: unknown): unknown {
  if (typeof value === 'string' && value.includes('…'))
    return expect.stringMatching(`^${value.split('…').map(RegExp.escape).join('.+')}$`);
  if (Array.isArray(value)) return value.map(promised);
  if (typeof value !== 'object' || value === null) return value;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(value).map(([name, each]) => [name, promised(each)])),
  );
}

let home: string;
let started: NpmStart;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tether-walk-'));
  started = npmStart(join(home, 'data'));
  await started.addresses;
});

afterAll(async () => {
  expect(await started.stop()).toBe(0);
  await rm(home, { recursive: true, force: true });
});

test("the README's walk, as it is printed, does what the README says", async () => {
  const { http, vendor } = await started.addresses;
  const steps = stepsOf(readFileSync(join(root, 'README.md'), 'utf8'), 'Five minutes with curl');
  const script = steps
    .map(({ commands }) => `${commands}printf '\\n===\\n'\n`)
    .join('')
    .replaceAll('127.0.0.1:8080', http)
    .replaceAll('127.0.0.1:8090', vendor)
    .replaceAll('./.tether', join(home, 'data'));
  const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', script], { cwd: root });
  const outputs = stdout.split('\n===\n');
  for (const [number, { commands, prints }] of steps.entries())
    if (prints !== undefined) expect(JSON.parse(outputs[number] ?? ''), commands).toEqual(promised(prints));
  expect(steps.filter(({ prints }) => prints !== undefined).length).toBeGreaterThanOrEqual(6);
});
