// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is how a catalog writes references
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseCatalog } from '../../server/catalog/parse-catalog.ts';
import { type Problem, problemText } from '../../server/catalog/problem.ts';
import type { Surroundings } from '../../server/catalog/references.ts';

const nothingAround: Surroundings = {
  env: {},
  readFile: (path) => {
    throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
  },
};

function catalogOf(text: string, surroundings = nothingAround) {
  const parsed = parseCatalog(text, surroundings);
  if (parsed.kind === 'invalid')
    throw new Error(parsed.problems.map((each) => problemText('tether.yaml', each)).join('\n'));
  return parsed.catalog;
}

function problemsOf(text: string, surroundings = nothingAround): readonly Problem[] {
  const parsed = parseCatalog(text, surroundings);
  if (parsed.kind === 'ok') throw new Error('the catalog was accepted');
  return parsed.problems;
}

/** A good catalog, with lines put in place of one of its own. */
function withLine(line: string, instead: string): string {
  expect(good).toContain(line);
  return good.replace(line, instead);
}

const good = `version: 1
endpoints:
  pos:
    transport: json
    url: http://127.0.0.1:8090/tools
tools:
  get_ticket:
    endpoint: pos
    description: One ticket.
    input: { type: object, required: [ticket_id], properties: { ticket_id: { type: string } } }
  void_ticket:
    endpoint: pos
    is_write: true
    description: Void an open ticket.
    input:
      type: object
      required: [ticket_id]
      properties:
        ticket_id: { type: string }
        lines: { type: array, items: { type: object, properties: { id: { type: integer } } } }
      additionalProperties: false
    summary: Void ticket {ticket_id}
    risk: elevated
    reversible: no
    ttl: 90s
`;

describe('a good catalog', () => {
  test('declares tools and endpoints, with the defaults filled in', () => {
    const { tools, endpoints } = catalogOf(good);
    expect(endpoints.get('pos')).toEqual({
      name: 'pos',
      transport: 'json',
      url: 'http://127.0.0.1:8090/tools',
      timeoutMs: 20_000,
      maxAttempts: 3,
      maxResponseBytes: 262_144,
      maxConcurrent: 64,
      breaker: { failures: 10, openMs: 10_000 },
      probe: false,
    });
    expect(tools.get('get_ticket')).toMatchObject({
      name: 'get_ticket',
      description: 'One ticket.',
      endpoint: 'pos',
      isWrite: false,
      summary: null,
      risk: 'normal',
      reversible: null,
      ttlSeconds: 900,
      timeoutSeconds: 20,
      value: null,
      fourEyes: false,
      precondition: null,
      verify: null,
      intent: null,
    });
    expect(tools.get('void_ticket')).toMatchObject({
      isWrite: true,
      summary: 'Void ticket {ticket_id}',
      risk: 'elevated',
      reversible: 'no',
      ttlSeconds: 90,
    });
  });

  test('settings come from the endpoint, then from tool_transport', () => {
    const { tools, endpoints } = catalogOf(
      withLine(
        '    url: http://127.0.0.1:8090/tools',
        `    url: http://127.0.0.1:8090/tools
    timeout_seconds: 0.5
    max_concurrent: 7
tool_transport: { timeout_seconds: 3, max_attempts: 1, max_response_bytes: 1000 }`,
      ),
    );
    expect(endpoints.get('pos')).toMatchObject({
      timeoutMs: 500,
      maxAttempts: 1,
      maxResponseBytes: 1000,
      maxConcurrent: 7,
    });
    expect(tools.get('get_ticket')).toMatchObject({ timeoutSeconds: 0.5 });
  });

  test('urls and tokens come from the environment and from files', () => {
    const surroundings: Surroundings = {
      env: { POS_HOST: 'pos.example:81', POS_TOKEN: 's3cret', EMPTY: '' },
      readFile: (path) => (path === '/run/secrets/pos' ? 'from-file\n' : nothingAround.readFile(path)),
    };
    const endpointWith = (url: string, token: string) =>
      catalogOf(
        withLine('    url: http://127.0.0.1:8090/tools', `    url: ${url}\n    bearer_token: ${token}`),
        surroundings,
      ).endpoints.get('pos');
    expect(endpointWith('https://${env:POS_HOST}/tools', '${env:POS_TOKEN}')).toMatchObject({
      url: 'https://pos.example:81/tools',
      bearerToken: 's3cret',
    });
    expect(endpointWith('${env:EMPTY:-http://localhost:1/x}', '${file:/run/secrets/pos}')).toMatchObject({
      url: 'http://localhost:1/x',
      bearerToken: 'from-file',
    });
  });

  test('of the example is good as it stands', () => {
    const text = readFileSync(new URL('../../examples/point-of-sale/tether.yaml', import.meta.url), 'utf8');
    const env = { POS_SIGNING_SECRET: `whsec_${'A'.repeat(43)}=` };
    const { tools, endpoints } = catalogOf(text, { ...nothingAround, env });
    expect([...tools.keys()]).toEqual([
      'get_open_tickets',
      'get_ticket',
      'get_item',
      'void_ticket',
      'refund',
      'change_price',
    ]);
    expect(endpoints.get('pos')).toMatchObject({
      url: 'http://127.0.0.1:8090/tools',
      signingKeys: [{ type: 'secret' }],
    });
  });
});

describe('a bad catalog is refused, with the line, the field and what would be accepted', () => {
  test.each<[string, string, string, string]>([
    // line, what stands there instead, where the problem is, what is said
    ['version: 1', 'version: 2', '1:10 version', 'Must be 1, and is 2.'],
    ['version: 1', 'Version: 1', '1:1 Version', 'Did you mean version?'],
    ['version: 1', 'version: 1\ntols: {}', '2:1 tols', 'Did you mean tools?'],
    [
      '    transport: json',
      '    transport: rest',
      '4:16 endpoints.pos.transport',
      'json, connect or grpc, and is "rest"',
    ],
    ['    transport: json', '    retries: 5', '4:5 endpoints.pos.retries', 'Accepted: transport, url'],
    ['    transport: json', '', '3:3 endpoints.pos', '"transport" is missing here: json, connect or grpc.'],
    ['    url: http', '    url: ftp', '5:10 endpoints.pos.url', 'http:// or https://'],
    ['    url: http://', '    url: http://me:pw@', '5:10 endpoints.pos.url', 'bearer_token'],
    ['127.0.0.1:8090/tools', '127.0.0.1:8090/#a', '5:10 endpoints.pos.url', 'fragment'],
    ['127.0.0.1:8090', '${env:POS_HOST}', '5:10 endpoints.pos.url', 'POS_HOST is not set'],
    ['127.0.0.1:8090', '${file:host}', '5:10 endpoints.pos.url', 'accepted: ${env:NAME}, ${env:NAME:-default}'],
    [
      '    transport: json',
      '    transport: json\n    timeout_seconds: 0',
      '5:22 endpoints.pos.timeout_seconds',
      'at least 0.1',
    ],
    ['    transport: json', '    transport: json\n    max_attempts: 4', '5:19 endpoints.pos.max_attempts', 'at most 3'],
    [
      '    transport: json',
      '    transport: json\n    max_concurrent: 1.5',
      '5:21 endpoints.pos.max_concurrent',
      'an integer',
    ],
    [
      '    transport: json',
      '    transport: json\n    bearer_token: ${env:T}',
      '5:19 endpoints.pos.bearer_token',
      'T is not set',
    ],
    [
      '    transport: json',
      '    transport: json\n    bearer_token: ${file:/no}',
      '5:19 endpoints.pos.bearer_token',
      'ENOENT',
    ],
    ['  pos:', '  POS:', '3:3 endpoints.POS', 'a lower-case letter'],
    ['  get_ticket:', '  get ticket:', '7:3 tools.get ticket', 'a letter, then at most 63'],
    [
      '    endpoint: pos\n    is_write',
      '    endpoint: poss\n    is_write',
      '12:15 tools.void_ticket.endpoint',
      'Did you mean pos?',
    ],
    ['    is_write: true', '    is_write: yes', '13:15 tools.void_ticket.is_write', 'true or false, and is "yes"'],
    ['    is_write: true\n', '', '21:5 tools.void_ticket.summary', '"summary" is for writes'],
    ['    is_write: true', '    is_wriet: true', '13:5 tools.void_ticket.is_wriet', 'Did you mean is_write?'],
    ['    description: One ticket.', '    description: ""', '9:18 tools.get_ticket.description', 'Must not be empty.'],
    ['    description: One ticket.', '', '7:3 tools.get_ticket', '"description" is missing here'],
    ['    risk: elevated', '    risk: eleveted', '23:11 tools.void_ticket.risk', 'Did you mean elevated?'],
    [
      '    reversible: no',
      '    reversible: false',
      '24:17 tools.void_ticket.reversible',
      'yes, no or external, and is false',
    ],
    ['    ttl: 90s', '    ttl: 15 minutes', '25:10 tools.void_ticket.ttl', 'values like 90s, 15m, 24h'],
    ['    ttl: 90s', '    ttl: 90', '25:10 tools.void_ticket.ttl', 'Must be a string, and is 90.'],
    ['    ttl: 90s', '    ttl: 31d', '25:10 tools.void_ticket.ttl', 'at most 30d'],
    ['{ticket_id}', '{tiket_id}', '22:14 tools.void_ticket.summary', 'Did you mean ticket_id?'],
    ['{ticket_id}', '{/lines/0/idd}', '22:14 tools.void_ticket.summary', 'Did you mean id?'],
    ['{ticket_id}', '{ticket_id', '22:14 tools.void_ticket.summary', 'A brace stands alone'],
  ])('%j → %j', (line, instead, place, message) => {
    const problems = problemsOf(withLine(line, instead)).map((each) => problemText('tether.yaml', each));
    const found = problems.filter((text) => text.startsWith(`tether.yaml:${place}: `));
    expect(found.join('\n') || problems).toContain(message);
  });

  test.each<[string, string, string]>([
    ['{ type: string, minLenght: 3 }', 'properties.ticket_id.minLenght', 'Did you mean minLength?'],
    ['{ type: strng }', 'properties.ticket_id.type', 'Did you mean string?'],
    ['{ type: string, format: emial }', 'properties.ticket_id.format', 'Did you mean email?'],
    ['{ type: string, pattern: "(" }', 'properties.ticket_id.pattern', 'Unterminated group'],
    ['{ type: string, minLength: -1 }', 'properties.ticket_id.minLength', 'Must be >= 0'],
    ['{ $ref: "#/$defs/id" }', 'properties.ticket_id.$ref', 'resolve reference #/$defs/id'],
    ['{ anyOf: [{ type: string }, { typ: integer }] }', 'properties.ticket_id.anyOf.1.typ', 'Did you mean type?'],
    ['{ type: string, nullable: true }', 'properties.ticket_id.nullable', 'no keyword of JSON Schema 2020-12'],
    ['{ type: object, properties: { __proto__: {} } }', 'properties.ticket_id.properties.__proto__', 'No argument'],
    [
      '{ type: object, properties: { a: {} }, required: [b], additionalProperties: false }',
      'properties.ticket_id.required.0',
      'no property is called so',
    ],
  ])('an input with %s', (schema, path, message) => {
    const [problem, ...others] = problemsOf(
      withLine('        ticket_id: { type: string }', `        ticket_id: ${schema}`),
    );
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      line: 19,
      path: `tools.void_ticket.input.${path}`,
      message: expect.stringContaining(message),
    });
  });

  test.each([
    ['input: { type: array }', 'Must be object'],
    ['input: {}', 'Must be object'],
    [
      'input: { type: object, $schema: "http://json-schema.org/draft-07/schema#" }',
      'draft/2020-12/schema, or left out',
    ],
    ['input: object', 'Must be a mapping of names to values, and is "object".'],
  ])('%s', (input, message) => {
    const problems = problemsOf(good.replace(/input: \{ type: object, required.*/, input));
    expect(problems).toEqual([expect.objectContaining({ line: 10, message: expect.stringContaining(message) })]);
  });

  test('every problem is told at once, in the order of the file', () => {
    const problems = problemsOf(good.replace('json', 'rest').replace('90s', 'soon').replace('elevated', 'big'));
    expect(problems.map(({ line }) => line)).toEqual([4, 23, 25]);
  });

  test.each(['s3cret-literal', 'Bearer s3cret-literal', '${env:A:-s3cret-literal}', 'x${env:S3CRET}', '12345'])(
    'a literal secret is refused, and never repeated: %s',
    (token) => {
      const [problem, ...others] = problemsOf(
        withLine('    transport: json', `    transport: json\n    bearer_token: ${token}`),
      );
      expect(others).toEqual([]);
      expect(problem?.path).toBe('endpoints.pos.bearer_token');
      expect(problem?.message).toContain('${env:POS_TOKEN}, ${file:/run/secrets/pos}');
      expect(problem?.message.toLowerCase()).not.toMatch(/s3cret|12345/);
    },
  );

  test('a token that no header could carry is refused without being shown', () => {
    const text = withLine('    transport: json', '    transport: json\n    bearer_token: ${env:T}');
    const [problem] = problemsOf(text, { ...nothingAround, env: { T: 'two words\r\n' } });
    expect(problem?.message).toContain('env:T holds no token');
    expect(problem?.message).not.toContain('two words');
  });
});

describe('what is no YAML of ours is refused with its line', () => {
  test.each<[string, string, number, string]>([
    ['nothing', '', 1, 'empty'],
    ['only comments', '# later\n', 1, 'empty'],
    ['a list', '- 1\n', 1, 'a mapping'],
    ['a duplicate key', 'version: 1\nversion: 1\n', 2, 'unique'],
    ['tabs', 'version: 1\ntools:\n\tx: 1\n', 3, 'Tabs'],
    ['two documents', 'version: 1\n---\nversion: 1\n', 2, 'A second document begins here'],
    ['an unknown alias', 'version: *x\n', 1, 'alias'],
    ['a tag', 'version: !!binary aGk=\n', 1, 'tag'],
    [
      'an unquoted reference in a flow mapping',
      'version: 1\nendpoints: { pos: { url: ${env:X} } }\n',
      2,
      'must stand in quotes',
    ],
    ['endless nesting', '['.repeat(100_000), 1, 'nests too deeply'],
    ['too much', `# ${'x'.repeat(1024 * 1024)}\n`, 1, '1048576'],
    ['aliases that multiply', bomb(), 1, 'alias count'],
  ])('%s', (_, text, line, message) => {
    const [problem] = problemsOf(text);
    expect(problem).toMatchObject({ line, message: expect.stringContaining(message) });
  });

  test('keys like __proto__ are unknown keys, nothing more', () => {
    const [problem] = problemsOf(withLine('version: 1', 'version: 1\n__proto__: { polluted: true }'));
    expect(problem).toMatchObject({ line: 2, path: '__proto__' });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 9; level++) {
    lines.push(
      `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    );
  }
  return lines.join('\n');
}
