import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answers, type Endpoint, startEndpoint } from '../support/endpoint.ts';
import { tether } from './run.ts';

let home: string;
let catalog: string;
let endpoint: Endpoint;

beforeEach(async () => {
  endpoint = await startEndpoint();
  home = await mkdtemp(join(tmpdir(), 'tether-samples-'));
  catalog = join(home, 'tether.yaml');
  await writeFile(
    catalog,
    `version: 1
endpoints: { pos: { transport: json, url: "${endpoint.url}", probe: true, max_attempts: 1, max_response_bytes: 400 } }
tools:
  get_open_tickets:
    endpoint: pos
    description: The open tickets, oldest first.
    input: { type: object, properties: { limit: { type: integer } }, additionalProperties: false }
  void_ticket:
    endpoint: pos
    is_write: true
    description: Voids an open ticket, for good.
    input: { type: object, properties: {}, additionalProperties: false }
`,
  );
});

afterEach(async () => {
  await endpoint.close();
  await rm(home, { recursive: true, force: true });
});

const sampleWarnings = async (...args: string[]) => {
  const { out, err, code } = await tether(['tools', 'check', catalog, '--json', ...args]);
  const { warnings } = JSON.parse(out) as { warnings: { rule: string; tool: string; path: string; line?: number }[] };
  return { err, code, warnings: warnings.filter(({ line }) => line === undefined) };
};

test('a sample is one call of the read at its endpoint, and its answer is looked at', async () => {
  endpoint.answer(answers.result('{"tickets":[{"total":84.5,"opened_at":"2026-08-20 17:59"}]}'));
  const sample = [
    '--sample',
    'get_open_tickets={ "limit": 1 }',
    '--tenant',
    'acme',
    '--scope',
    'store-12',
    '--user',
    'u_7',
  ];
  const { warnings, code } = await sampleWarnings(...sample);
  expect(warnings.map(({ tool, path, rule }) => [tool, path, rule])).toEqual([
    ['get_open_tickets', '/tickets', 'full-page'],
    ['get_open_tickets', '/tickets/0/total', 'amount-without-unit'],
    ['get_open_tickets', '/tickets/0/opened_at', 'time-without-zone'],
  ]);
  expect(code).toBe(0);
  expect(endpoint.calls).toMatchObject([
    {
      tool: 'get_open_tickets',
      mode: 'read',
      isWrite: false,
      argumentsJson: '{"limit":1}',
      tenant: { id: 'acme', scope: 'store-12', userId: 'u_7' },
    },
  ]);
});

test('in text, a sample names the tool and the place in its answer; strict counts it', async () => {
  endpoint.answer(answers.result('{"total":84.5}'));
  const { out, code } = await tether(['tools', 'check', catalog, '--strict', '-s', 'get_open_tickets']);
  expect(out).toContain('sample get_open_tickets /total: warning: 84.5 of what?');
  expect(code).toBe(1);
  expect(endpoint.calls).toMatchObject([{ argumentsJson: '{}' }]);
});

test('several samples are called one after the other', async () => {
  endpoint.answerNext(answers.result('{"fee":1}'), answers.result('{"fee_usd":1}'));
  const { warnings } = await sampleWarnings('-s', 'get_open_tickets', '-s', 'get_open_tickets={"limit":2}');
  expect(warnings).toMatchObject([{ path: '/fee', rule: 'amount-without-unit' }]);
  expect(endpoint.calls).toHaveLength(2);
});

test('an answer that the server could not use is told with its reason', async () => {
  endpoint.answerNext(answers.result(JSON.stringify({ text: 'x'.repeat(500) })), answers.http(500, 'oops'));
  const { warnings } = await sampleWarnings('-s', 'get_open_tickets', '-s', 'get_open_tickets');
  expect(warnings).toMatchObject([
    { rule: 'sample-failed', message: expect.stringContaining('RESPONSE_TOO_LARGE') },
    { rule: 'sample-failed', message: expect.stringContaining('TOOL_UNAVAILABLE') },
  ]);
});

test.each([
  ['void_ticket', 'is a write; only reads are ever called by this. Declared reads: get_open_tickets.'],
  ['get_open_ticket', 'Did you mean get_open_tickets?'],
  ['get_open_tickets={"limit":"two"}', '"limit" must be an integer, and is a string.'],
  ['get_open_tickets={"limt":2}', 'Did you mean limit?'],
  ['get_open_tickets={limit:2}', 'JSON'],
])('what cannot be sampled is told, and nothing is called: %s', async (sample, message) => {
  const { out, err, code } = await tether(['tools', 'check', catalog, '-s', sample, '-s', 'get_open_tickets']);
  expect(err).toContain(message);
  expect({ out, code }).toEqual({ out: '', code: 2 });
  expect(endpoint.calls).toEqual([]);
});
