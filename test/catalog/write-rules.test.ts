// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is how a catalog writes references
import { describe, expect, test } from 'vitest';
import { parseCatalog } from '../../server/catalog/parse-catalog.ts';
import { problemText } from '../../server/catalog/problem.ts';

const surroundings = { env: { AUTH: 's3cret' }, readFile: () => '' };

const good = `version: 1
authorizer: { transport: grpc, url: "https://auth.example", timeout_seconds: 2, bearer_token: "\${env:AUTH}" }
endpoints:
  pos: { transport: json, url: "http://127.0.0.1:8090/tools", probe: true }
tools:
  get_ticket:
    endpoint: pos
    description: One ticket by its id.
    input: { type: object, required: [ticket_id], properties: { ticket_id: { type: string }, limit: { type: integer } }, additionalProperties: false }
  void_ticket:
    endpoint: pos
    is_write: true
    description: Void an open ticket.
    input:
      type: object
      required: [ticket_id]
      properties:
        ticket_id: { type: string }
        reason: { type: string }
        amount_usd: { type: number }
      additionalProperties: false
    value:
      pointer: /amount_usd
      threshold: 50
      unit: USD
    precondition:
      read: get_ticket
      arguments: { ticket_id: /ticket_id }
      fields: [/status, /total_usd]
      expect: result.status == "open"
    verify:
      read: get_ticket
      arguments: { ticket_id: /ticket_id }
      expect: result.status == "void"
    intent:
      fields: [/ticket_id]
      window: 24h
    four_eyes: true
`;

function parse(text: string) {
  return parseCatalog(text, surroundings);
}

function catalogOf(text: string) {
  const parsed = parse(text);
  if (parsed.kind === 'invalid') throw new Error(parsed.problems.map((each) => problemText('', each)).join('\n'));
  return parsed.catalog;
}

/** The problems of the good catalog with a text in it replaced. */
function problemsWith(part: string, instead: string): string[] {
  expect(good).toContain(part);
  const parsed = parse(good.replace(part, instead));
  return parsed.kind === 'ok' ? [] : parsed.problems.map((each) => problemText('tether.yaml', each));
}

describe('what a write asks for', () => {
  test('is declared with its value, checks, intent and second person', () => {
    const { tools } = catalogOf(good);
    const tool = tools.get('void_ticket');
    expect(tool).toMatchObject({
      value: { pointer: '/amount_usd', threshold: 50, unit: 'USD' },
      fourEyes: true,
      precondition: {
        read: 'get_ticket',
        arguments: { ticket_id: '/ticket_id' },
        fields: ['/status', '/total_usd'],
        expect: { text: 'result.status == "open"' },
      },
      verify: { read: 'get_ticket', arguments: { ticket_id: '/ticket_id' } },
      intent: { fields: ['/ticket_id'], windowMs: 86_400_000 },
    });
    expect(tool?.precondition?.expect?.judge({ args: {}, result: { status: 'void' } })).toEqual({ kind: 'false' });
    expect(tool?.verify?.expect.judge({ args: {}, result: { status: 'void' } })).toEqual({ kind: 'true' });
  });

  test('has its defaults: no unit, the whole answer, no expectation, no window', () => {
    const { tools } = catalogOf(
      good
        .replace('\n      unit: USD', '')
        .replace('\n      fields: [/status, /total_usd]\n      expect: result.status == "open"', '')
        .replace('\n      window: 24h', ''),
    );
    expect(tools.get('void_ticket')).toMatchObject({
      value: { unit: '' },
      precondition: { fields: null, expect: null },
      intent: { windowMs: 0 },
    });
  });

  test('a window reaches a year', () => {
    expect(catalogOf(good.replace('24h', '365d')).tools.get('void_ticket')?.intent?.windowMs).toBe(31_536_000_000);
  });
});

describe('endpoints and the authorizer', () => {
  test('an endpoint says whether it answers probes', () => {
    expect(catalogOf(good).endpoints.get('pos')?.probe).toBe(true);
    expect(catalogOf(good.replace(', probe: true', '')).endpoints.get('pos')?.probe).toBe(false);
  });

  test('the authorizer is a service that is asked once', () => {
    expect(catalogOf(good).authorizer).toEqual({
      name: 'authorizer',
      transport: 'grpc',
      url: 'https://auth.example',
      timeoutMs: 2_000,
      maxAttempts: 1,
      maxResponseBytes: 262_144,
      maxConcurrent: 64,
      bearerToken: 's3cret',
      probe: false,
    });
    expect(catalogOf(good.replace('timeout_seconds: 2, ', '')).authorizer?.timeoutMs).toBe(5_000);
    expect(catalogOf(good.replace(/authorizer:.*\n/, '')).authorizer).toBeUndefined();
  });
});

describe('what cannot hold is refused, with the line and what would', () => {
  test.each<[string, string, string, string]>([
    // in place of, this, where, what is said
    ['probe: true', 'probe: yes', 'endpoints.pos.probe', 'true or false, and is "yes"'],
    ['transport: grpc', 'transport: rest', 'authorizer.transport', 'json, connect or grpc, and is "rest"'],
    ['https://auth', 'ftp://auth', 'authorizer.url', 'http:// or https://'],
    ['${env:AUTH}', 's3cret', 'authorizer.bearer_token', 'accepted: ${env:POS_TOKEN}'],
    ['${env:AUTH}', '${env:AUTHH}', 'authorizer.bearer_token', 'AUTHH is not set'],
    ['timeout_seconds: 2', 'max_attempts: 2', 'authorizer.max_attempts', 'Accepted: transport, url, timeout_seconds'],
    ['pointer: /amount_usd', 'pointer: /amount', 'tools.void_ticket.value.pointer', 'names no argument'],
    ['pointer: /amount_usd', 'pointer: amount_usd', 'tools.void_ticket.value.pointer', 'values like /ticket_id'],
    ['pointer: /amount_usd', 'pointer: /reason', 'tools.void_ticket.value.pointer', 'is string; only a number'],
    ['threshold: 50', 'threshold: "50"', 'tools.void_ticket.value.threshold', 'Must be a number'],
    ['threshold: 50', 'threshold: .nan', 'tools.void_ticket.value.threshold', 'Must be a number'],
    ['threshold: 50', 'treshold: 50', 'tools.void_ticket.value.treshold', 'Did you mean threshold?'],
    ['read: get_ticket', 'read: get_tiket', 'tools.void_ticket.precondition.read', 'Did you mean get_ticket?'],
    ['read: get_ticket', 'read: void_ticket', 'tools.void_ticket.precondition.read', 'is a write'],
    [
      'arguments: { ticket_id: /ticket_id }',
      'arguments: { id: /ticket_id }',
      'tools.void_ticket.precondition.arguments.id',
      'get_ticket takes no argument "id"',
    ],
    [
      'arguments: { ticket_id: /ticket_id }',
      'arguments: {}',
      'tools.void_ticket.precondition.arguments',
      'get_ticket requires "ticket_id"',
    ],
    [
      'arguments: { ticket_id: /ticket_id }',
      'arguments: { ticket_id: /tiket_id }',
      'tools.void_ticket.precondition.arguments.ticket_id',
      'Did you mean ticket_id?',
    ],
    [
      'arguments: { ticket_id: /ticket_id }',
      'arguments: { ticket_id: /amount_usd }',
      'tools.void_ticket.precondition.arguments.ticket_id',
      'get_ticket takes string, and /amount_usd is number',
    ],
    ['/status, /total_usd', '/status, total_usd', 'tools.void_ticket.precondition.fields.1', 'values like /ticket_id'],
    ['/status, /total_usd', '/status, /status', 'tools.void_ticket.precondition.fields.1', 'twice'],
    ['/status, /total_usd', '', 'tools.void_ticket.precondition.fields', 'Must not be empty'],
    ['result.status == "open"', 'resul.status == "x"', 'tools.void_ticket.precondition.expect', 'Did you mean result?'],
    ['expect: result.status == "void"', 'expects: x', 'tools.void_ticket.verify.expects', 'Did you mean expect?'],
    ['result.status == "void"', 'args.idd == "x"', 'tools.void_ticket.verify.expect', 'args.idd names no argument'],
    ['fields: [/ticket_id]', 'fields: [/tiket_id]', 'tools.void_ticket.intent.fields.0', 'Did you mean ticket_id?'],
    ['window: 24h', 'window: 366d', 'tools.void_ticket.intent.window', 'at most 365d'],
    ['window: 24h', 'window: a day', 'tools.void_ticket.intent.window', 'values like 90s, 15m, 24h'],
    ['four_eyes: true', 'four_eyes: 2', 'tools.void_ticket.four_eyes', 'true or false, and is 2'],
  ])('%j → %j', (part, instead, place, message) => {
    const problems = problemsWith(part, instead);
    const line = good.slice(0, good.indexOf(part)).split('\n').length;
    const found = problems.filter((text) => text.startsWith(`tether.yaml:${line}:`) && text.includes(` ${place}: `));
    expect(found.join('\n') || problems).toContain(message);
    expect(problems.join('\n')).not.toContain('s3cret');
  });

  test('on a read, each of these keys is refused', () => {
    const problems = problemsWith('    is_write: true\n', '');
    for (const key of ['value', 'precondition', 'verify', 'intent', 'four_eyes']) {
      expect(problems).toContainEqual(expect.stringMatching(`tools.void_ticket.${key}: "${key}" is for writes`));
    }
  });
});
