/** Runs the kit as its command does, and reads its report for machines. */
import { runEndpointCheck } from '@tether/endpoint-check';
import type { Served } from '../endpoint/servers.ts';

export interface Finding {
  readonly id: string;
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'warned';
  readonly why: string;
  readonly sent: string;
  readonly received: string;
}

export interface Report {
  readonly code: number;
  readonly checks: readonly Finding[];
  readonly text: string;
}

export async function checkEndpoint(
  { url, transport }: Served,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Report> {
  const said: string[] = [];
  const output = { out: (text: string) => said.push(text), err: (text: string) => said.push(text) };
  const code = await runEndpointCheck([url, '--transport', transport, '--json', ...args], env, output);
  const text = said.join('');
  if (code === 2) throw new Error(text);
  const { checks } = JSON.parse(text) as { checks: Finding[] };
  return { code, checks, text };
}

/** Those with an outcome, each with its reason. */
export function those({ checks }: Report, outcome: Finding['outcome']): Record<string, string> {
  return Object.fromEntries(checks.filter((each) => each.outcome === outcome).map(({ id, why }) => [id, why]));
}
