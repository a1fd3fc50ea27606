import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileExpression } from '../../server/catalog/expressions/expression.ts';

const input = {
  type: 'object',
  properties: {
    ticket_id: { type: 'string' },
    amount: { type: 'number' },
    customer: { type: 'object', properties: { id: { type: 'string' } } },
  },
};

function judge(text: string, result: unknown, args: unknown = {}) {
  const compiled = compileExpression(text, input);
  if (compiled.kind === 'invalid') throw new Error(compiled.messages.join('\n'));
  expect(compiled.expectation.text).toBe(text);
  return compiled.expectation.judge({ args, result });
}

function faultsOf(text: string): readonly string[] {
  const compiled = compileExpression(text, input);
  return compiled.kind === 'invalid' ? compiled.messages : [];
}

describe('an expression comes to true or false', () => {
  test.each<[string, unknown, unknown, boolean]>([
    ['result.status == "open"', { status: 'open' }, {}, true],
    ['result.status == "open"', { status: 'void' }, {}, false],
    ['result.total >= args.amount', { total: 12.5 }, { amount: 12.5 }, true],
    ['result.total - result.refunded + 1.0 > 3.0', { total: 4, refunded: 1 }, {}, true],
    ['result.count == 3', { count: 3 }, {}, true],
    ['result.closed_at == null', { closed_at: null }, {}, true],
    ['has(result.refund) && result.refund.done', {}, {}, false],
    ['result.lines.all(l, l.quantity > 0.0)', { lines: [{ quantity: 1 }, { quantity: 2 }] }, {}, true],
    ['size(result.lines) == 0', { lines: [] }, {}, true],
    ['result.lines.filter(l, l.voided).size() == 0', { lines: [{ voided: false }] }, {}, true],
    ['args.ticket_id in result.ids', { ids: ['a', 'b'] }, { ticket_id: 'b' }, true],
    ['result["a b"].startsWith("x")', { 'a b': 'xy' }, {}, true],
    ['result.name.matches("^(a+)+$")', { name: `${'a'.repeat(5_000)}b` }, {}, false],
    ['timestamp(result.at) < timestamp("2026-01-01T00:00:00Z")', { at: '2025-12-31T23:00:00Z' }, {}, true],
    ['type(result) == list', [], {}, true],
    ['result', true, {}, true],
    // Names that JavaScript gives a meaning to are members like others.
    ['result.constructor == "x" && result.a.prototype == 1.0', { constructor: 'x', a: { prototype: 1 } }, {}, true],
    ['has(result.toString)', {}, {}, false],
    ['has(result.__proto__)', JSON.parse('{"__proto__":{"a":1}}'), {}, true],
  ])('%s', (text, result, args, verdict) => {
    expect(judge(text, result, args)).toEqual({ kind: String(verdict) });
  });
});

describe('what cannot be judged is a fault that says what to do, never an exception', () => {
  test.each<[string, unknown, string]>([
    ['result.status == "open"', {}, 'there is no "status" where the expression reads it; has(…) asks first'],
    ['result.status == "open"', null, 'there is no "status"'],
    ['result.status == "open"', 'text', 'there is no "status"'],
    ['result.a.b.c == 1', { a: {} }, 'there is no'],
    ['result.lines[0] == 1', { lines: [] }, 'the list is shorter than the expression expects; size(…)'],
    ['result.lines[result.n + 1.0] == 1', { lines: [1], n: 4 }, 'the list is shorter'],
    ['result.a > "x"', { a: null }, '_>_ cannot be applied to (null_type, string)'],
    ['result.a && result.b', { a: 1, b: true }, 'a double stands where true or false is needed'],
    ['result.a', { a: 'yes' }, 'the expression came to neither true nor false'],
    ['1 / int(result.n) == 1', { n: 0 }, 'divide by zero'],
    ['result.name.matches(result.pattern)', { name: 'a', pattern: '(' }, 'missing closing )'],
  ])('%s of %j', (text, result, message) => {
    expect(judge(text, result)).toEqual({ kind: 'fault', message: expect.stringContaining(message) });
  });

  test('an answer that nests without end', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    expect(judge('result == result', JSON.parse(deep))).toMatchObject({ kind: 'fault' });
  });

  test.each([
    'result.a.all(x, result.a.exists(y, y == x))',
    'result.a.all(x, x in result.a)',
    'result.a.map(x, x).all(x, x >= 0.0)',
    'result.a.filter(x, x >= 0.0) == result.a',
    'result.a.map(x, result.a).exists(l, l == result.a)',
    '[result.a, result.a].exists(a, a.all(x, a.exists(y, x == y)))',
  ])('loops that an answer could make endless: %s', (text) => {
    const a = Array.from({ length: 50_000 }, (_, index) => index);
    expect(judge(text, { a })).toEqual({ kind: 'fault', message: expect.stringContaining('too large') });
    expect(judge(text, { a: a.slice(0, 10) })).toMatchObject({ kind: expect.stringMatching('true|false') });
  });

  test('one loop over a long answer is no such thing', () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => ({ id: `L-${index}`, kind: 'food', quantity: 1 }));
    expect(judge('result.lines.exists(l, l.id == args.ticket_id)', { lines }, { ticket_id: 'L-4999' })).toEqual({
      kind: 'true',
    });
  });
});

describe('what is known to fail is refused when it is compiled', () => {
  test.each<[string, string]>([
    ['result.status = "open"', 'Is no CEL expression: = at character 15 cannot stand there. Equal is ==.'],
    ['result.', 'at character 7'],
    [`${'('.repeat(490)}result${')'.repeat(490)}`, 'Nests too deeply.'],
    ['resul.status == "open"', '"resul" is no name that is known here. Did you mean result? Accepted: args, result.'],
    ['result.status == open', 'A text stands in quotes: "open".'],
    ['now > timestamp(result.at)', '"now" is no name'],
    ['result.lines.all(line, lin.a > 1.0)', 'Did you mean line? Accepted: args, result, line.'],
    ['args.tiket_id == result.id', 'args.tiket_id names no argument: "tiket_id" is not among'],
    ['has(args.customer.idd)', 'Did you mean id?'],
    ['result.status.lower() == "open"', '"lower" is no function that is known here.'],
    ['result.status.startWith("o")', 'Did you mean startsWith?'],
    ['len(result.lines) == 1', '"len" is no function'],
    ['has(result)', 'has(…) takes a field'],
    ['result.total + 1 > args.amount', 'write 1.0 instead of 1'],
    ['result.n % 2 == 0', 'write int(…) % 2'],
    ['result.name.matches("(")', 'is no regular expression (RE2)'],
    ['result.total + 1.0', 'Never comes to true or false'],
    ['"open"', 'Never comes to true or false'],
    ['result.lines.map(l, l.a)', 'Never comes to true or false'],
    ['result.a ? "x" : "y"', 'Never comes to true or false'],
    ['google.protobuf.Duration{seconds: 1} == result', 'only JSON values are known'],
  ])('%s', (text, message) => {
    expect(faultsOf(text).join('\n')).toContain(message);
  });

  test('a variable of a loop hides what is called the same outside', () => {
    expect(faultsOf('result.lines.all(args, args.anything == 1.0)')).toEqual([]);
    expect(faultsOf('result.lines.all(l, l > 0.0) && l')).toEqual([expect.stringContaining('"l" is no name')]);
  });
});

test('whatever an endpoint answers, judging it comes to true, false or a fault', () => {
  const texts = [
    'result.status == "open" && result.total >= args.amount',
    'result.lines.all(l, l.quantity > 0.0 || l.name.matches("^x"))',
    'has(result.a.b) ? result.a.b[0] == result["c"] : size(result) > 1',
    'result.map(x, string(x)).exists(x, x in result) || timestamp(result.at) < timestamp("2026-01-01T00:00:00Z")',
  ].map((text) => {
    const compiled = compileExpression(text, {});
    if (compiled.kind === 'invalid') throw new Error(compiled.messages.join());
    return compiled.expectation;
  });
  const key = fc.constantFrom(
    'status',
    'total',
    'lines',
    'quantity',
    'a',
    'b',
    'c',
    'at',
    '__proto__',
    'constructor',
    '',
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(
        fc.constantFrom(null, 'open', '1', ''),
        fc.boolean(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
      ),
      fc.array(tie('json'), { maxLength: 5 }),
      fc.array(fc.tuple(key, tie('json')), { maxLength: 5 }).map((members) => Object.fromEntries(members)),
    ),
  }));
  fc.assert(
    fc.property(json, json, fc.constantFrom(...texts), (args, result, { judge }) => {
      const judgement = judge({ args, result });
      expect(['true', 'false', 'fault']).toContain(judgement.kind);
      if (judgement.kind === 'fault') expect(judgement.message).not.toMatch(/undefined|\[object|TypeError/);
    }),
    { numRuns: 2_000 },
  );
});
