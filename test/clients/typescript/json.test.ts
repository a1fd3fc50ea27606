import { createTetherClient, JsonNumber, parseJson } from '@tether/client';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { answers } from '../../support/endpoint.ts';
import { openClientPlace } from '../harness/place.ts';
import { failureOf } from './failure-of.ts';

vi.setConfig({ testTimeout: 120_000 });

test.each([
  ...[
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1e400',
    '0.1000000000000000000001',
    '1e-400',
    '3.141592653589793238',
  ],
  ...['123456789012345678901234567890', '1.7976931348623159e308'],
])('%s would be changed by JSON.parse, and stands as it is', (text) => {
  const read = parseJson(`{"a":[${text}]}`);
  expect(read).toEqual({ a: [new JsonNumber(text)] });
  expect(JSON.stringify(read)).toBe(`{"a":[${text}]}`);
});

test.each([
  ...['0', '-0', '1', '0.1', '1.10', '100', '1e3', '1E+3', '1e21', '9007199254740992', '5e-324', '0e999', '0.0000001'],
  ...['1.7976931348623157e308', '123456789012345680000'],
])('%s is a number like any other', (text) => {
  expect(parseJson(text)).toBe(JSON.parse(text));
});

test('arithmetic with a number that does not fit throws, and its text is whole', () => {
  const [big] = parseJson('[9007199254740993]') as readonly [JsonNumber];
  expect(() => Number(big)).toThrow('read its text');
  expect(() => (big as unknown as number) + 1).toThrow('read its text');
  expect(`${big}`).toBe('9007199254740993');
  expect(BigInt(big.text)).toBe(9007199254740993n);
});

test('digits in strings and names are left alone, whatever stands beside them', () => {
  const text = '{"9007199254740993":"9007199254740993","#":"\\"1e400\\\\","##":[1e400,"#"],"n":null}';
  expect(parseJson(text)).toEqual({
    ...{ '9007199254740993': '9007199254740993', '#': '"1e400\\', n: null },
    '##': [new JsonNumber('1e400'), '#'],
  });
});

test('whatever JSON says is read as JSON.parse reads it, when no number changes', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

/** The integer that a number is written as, which of a large one is not the integer that a double holds. */
function integerIn(text: string): bigint {
  const [mantissa = '', exponent = '0'] = text.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(`${whole}${fraction}${'0'.repeat(Number(exponent) - fraction.length)}`);
}

test.each([
  ['every integer', fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })],
  [
    'every double that is an integer',
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter(Number.isInteger).map(BigInt),
  ],
  [
    'every integer that a double is written as',
    fc.tuple(fc.integer(), fc.nat(30)).map(([few, zeros]) => BigInt(few) * 10n ** BigInt(zeros)),
  ],
] as const)('%s keeps its value, however large', (_, integers) => {
  fc.assert(
    fc.property(integers, (value) => {
      const [read] = parseJson(`[${value}]`) as readonly [number | JsonNumber];
      expect(integerIn(String(read))).toBe(value);
    }),
    { examples: [[-1192092895507812500000000000000000n]] },
  );
});

test('what is no JSON is no JSON', () => {
  expect(() => parseJson('{"a":01}')).toThrow(SyntaxError);
});

test('a vendor’s large numbers come through a confirm whole, as value and as text', async () => {
  const place = await openClientPlace();
  const { httpUrl: url } = await place.server();
  const agent = createTetherClient({ url, key: place.keys.agent });
  const approver = createTetherClient({ url, key: place.keys.approver });
  const { action } = await agent.stage({ tool: 'void_ticket', arguments: { ticket_id: 'J-1' } });
  const text = '{"ref": 9007199254740993, "total": 12.50}';
  place.endpoint.answerNext(answers.result(text));
  const confirmed = await approver.confirm({ action });
  expect(confirmed.resultJson).toBe(text);
  expect(confirmed.action.resultJson).toBe(text);
  expect(confirmed.result).toEqual({ ref: new JsonNumber('9007199254740993'), total: 12.5 });

  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 9007199254740993n, [undefined], () => 1]) {
    const refused = agent.stage({ tool: 'void_ticket', arguments: { ticket_id: value } });
    expect(await failureOf(refused)).toMatchObject({ code: 'INVALID_ARGUMENTS', effect: 'NONE', answered: false });
  }
  await place.close();
});
