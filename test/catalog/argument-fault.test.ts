import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCatalog } from '../../server/catalog/parse-catalog.ts';
import type { ArgumentFault } from '../../server/domain/tool.ts';

/** The validator of a tool whose input has these properties. */
function validatorOf(input: object): (args: unknown) => ArgumentFault | undefined {
  const text = JSON.stringify({
    version: 1,
    endpoints: { pos: { transport: 'json', url: 'http://127.0.0.1:1' } },
    tools: { it: { endpoint: 'pos', description: 'It.', input: { type: 'object', ...input } } },
  });
  const parsed = parseCatalog(text, { env: {}, readFile: () => '' });
  const tool = parsed.kind === 'ok' ? parsed.catalog.tools.get('it') : undefined;
  if (tool === undefined) throw new Error(JSON.stringify(parsed));
  return tool.validate;
}

const closed = { required: ['ticket_id'], additionalProperties: false };
const ticket = { properties: { ticket_id: { type: 'string' }, amount: { type: 'number' } }, ...closed };

test('arguments that fit have no fault', () => {
  expect(validatorOf(ticket)({ ticket_id: 'T-1', amount: 0.1 })).toBeUndefined();
});

test('a misspelt argument is told the name it missed', () => {
  expect(validatorOf(ticket)({ tiket_id: 'T-1' })).toEqual({
    field: 'ticket_id',
    message: '"ticket_id" is required, and is missing. "tiket_id" was given instead.',
  });
  expect(validatorOf(ticket)({ ticket_id: 'T-1', amuont: 5 })).toEqual({
    field: 'amuont',
    message: '"amuont" is no argument of this tool. Did you mean amount? Accepted: ticket_id, amount.',
    receivedJson: '5',
    acceptedJson: ['"ticket_id"', '"amount"'],
  });
});

test.each<[object, unknown, Partial<ArgumentFault>]>([
  [{ type: 'string' }, 7, { receivedJson: '7', message: '"x" must be a string, and is a number.' }],
  [
    { type: ['integer', 'null'] },
    1.5,
    { receivedJson: '1.5', message: '"x" must be an integer or null, and is a number.' },
  ],
  [{ type: 'object' }, null, { receivedJson: 'null', message: '"x" must be an object, and is null.' }],
  [{ type: 'object' }, [], { receivedJson: '[]', message: '"x" must be an object, and is an array.' }],
  [
    { type: 'number', minimum: 1 },
    0,
    { receivedJson: '0', limitJson: '1', message: '"x" must be at least 1, and is 0.' },
  ],
  [{ type: 'number', maximum: 5000 }, 8500, { limitJson: '5000', message: '"x" must be at most 5000, and is 8500.' }],
  [{ type: 'number', exclusiveMinimum: 0 }, 0, { limitJson: '0', message: '"x" must be more than 0, and is 0.' }],
  [
    { type: 'number', multipleOf: 0.25 },
    0.3,
    { limitJson: '0.25', message: '"x" must be a multiple of 0.25, and is 0.3.' },
  ],
  [
    { type: 'string', minLength: 3 },
    '€',
    { limitJson: '3', message: '"x" must have at least 3 characters, and has 1.' },
  ],
  [
    { type: 'string', maxLength: 1 },
    '😀a',
    { limitJson: '1', message: '"x" must have at most 1 characters, and has 2.' },
  ],
  [{ type: 'array', maxItems: 1 }, [1, 2], { limitJson: '1', message: '"x" must have at most 1 items, and has 2.' }],
  [
    { type: 'object', minProperties: 1 },
    {},
    { limitJson: '1', message: '"x" must have at least 1 properties, and has 0.' },
  ],
  [
    { enum: ['a', 1, null] },
    'b',
    { acceptedJson: ['"a"', '1', 'null'], message: '"x" must be one of "a", 1, null, and is "b".' },
  ],
  [{ const: true }, false, { acceptedJson: ['true'], message: '"x" must be true, and is false.' }],
  [
    { type: 'string', pattern: '^T-' },
    'X',
    { limitJson: '"^T-"', message: '"x" must match the regular expression ^T-.' },
  ],
  [
    { type: 'string', format: 'date-time' },
    'now',
    { receivedJson: '"now"', message: '"x" must be of the format date-time.' },
  ],
  [
    { type: 'array', uniqueItems: true },
    [1, 1],
    { receivedJson: '[1,1]', message: expect.stringMatching(/^"x" must NOT have duplicate/) },
  ],
])('%j refuses %j with what would be accepted', (schema, value, fault) => {
  expect(validatorOf({ properties: { x: schema } })({ x: value })).toEqual({
    field: 'x',
    receivedJson: JSON.stringify(value),
    ...fault,
  });
});

test('a nested field is named by JSON Pointer', () => {
  const line = { type: 'object', properties: { 'a/b': { type: 'integer' } }, ...closed, required: ['a/b'] };
  const validate = validatorOf({ properties: { lines: { type: 'array', items: line } } });
  expect(validate({ lines: [{ 'a/b': 1 }, { 'a/b': 'x' }] })).toMatchObject({ field: '/lines/1/a~1b' });
  expect(validate({ lines: [{}] })).toMatchObject({ field: '/lines/0/a~1b' });
  expect(validate({ lines: [{ 'a/b': 1, c: 2 }] })).toMatchObject({ field: '/lines/0/c', acceptedJson: ['"a/b"'] });
});

test('of several shapes, the one that came closest is explained', () => {
  const shape = (kind: string, more: object) => ({
    type: 'object',
    properties: { kind: { const: kind }, ...more },
    required: ['kind'],
  });
  const validate = validatorOf({
    properties: {
      by: {
        anyOf: [
          { type: 'string' },
          shape('card', { last: { type: 'object', properties: { four: { type: 'string' } } } }),
        ],
      },
    },
  });
  expect(validate({ by: { kind: 'card', last: { four: 1234 } } })).toMatchObject({ field: '/by/last/four' });
});

test('of several shapes that came equally far, each is told', () => {
  const kinds = ['card', 'cash'].map((kind) => ({ type: 'object', properties: { kind: { const: kind } } }));
  expect(validatorOf({ properties: { by: { oneOf: kinds } } })({ by: { kind: 'gold' } })).toEqual({
    field: '/by/kind',
    receivedJson: '"gold"',
    acceptedJson: ['"card"', '"cash"'],
    message: '"/by/kind" must be one of "card", "cash", and is "gold".',
  });
  expect(validatorOf({ anyOf: [{ required: ['a'] }, { required: ['b'] }] })({})?.message).toBe(
    '"a" is required, and is missing. Or: "b" is required, and is missing.',
  );
  expect(
    validatorOf({ properties: { x: { oneOf: [{ type: 'number' }, { minimum: 0 }] } } })({ x: 1 })?.message,
  ).toContain('exactly one');
});

test('a name that may not be is named', () => {
  const validate = validatorOf({ properties: { tags: { type: 'object', propertyNames: { maxLength: 3 } } } });
  expect(validate({ tags: { long: 1 } })).toMatchObject({
    field: '/tags/long',
    limitJson: '3',
    message: 'The name "/tags/long" must have at most 3 characters, and has 4.',
  });
});

test('what an object only inherits is missing, and what it is called does not matter', () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
  const properties = JSON.parse(`{${names.map((name) => `"${name}":{"type":"string"}`).join()}}`) as object;
  const validate = validatorOf({ properties, required: names, additionalProperties: false });
  expect(validate({})).toMatchObject({ field: 'constructor', message: expect.stringContaining('missing') });
  expect(validate(JSON.parse(`{${names.map((name) => `"${name}":"x"`).join()}}`))).toBeUndefined();
  expect(validatorOf(ticket)(JSON.parse('{"ticket_id":"T-1","__proto__":{"amount":1}}'))).toMatchObject({
    field: '__proto__',
  });
});

test('a fault repeats no more than a reader needs', () => {
  const validate = validatorOf({ properties: { x: { type: 'string', maxLength: 3 } }, additionalProperties: false });
  for (const args of [{ x: 'y'.repeat(100_000) }, { ['y'.repeat(100_000)]: 1 }, { x: Array(100_000).fill(1) }]) {
    expect(JSON.stringify(validate(args)).length).toBeLessThan(1_000);
  }
});

test('whatever the arguments are, a fault is said or there is none: nothing is thrown', () => {
  const validate = validatorOf({
    ...ticket,
    dependentRequired: { amount: ['ticket_id'] },
    propertyNames: { maxLength: 9 },
    anyOf: [{ required: ['amount'] }, { properties: { ticket_id: { minLength: 2 } } }],
    not: { required: ['never'] },
  });
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('ticket_id', 'amount', 'never', 'other'), fc.jsonValue()), (args) => {
      const fault = validate(args);
      if (fault !== undefined) expect(fault.message).toMatch(/^["T].+\.$/s);
    }),
  );
});
