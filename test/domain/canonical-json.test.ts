import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalise,
  canonicaliseArguments,
  canonicaliseCarefully,
  maxArgumentBytes,
} from '../../server/domain/canonical-json.ts';

const vectors = new URL('../vectors/jcs/', import.meta.url);
const vector = (path: string): Buffer => readFileSync(new URL(path, vectors));

function textOf(text: string): string {
  const read = canonicaliseArguments(text);
  if (read.kind === 'invalid') throw new Error(read.fault.message);
  return read.text;
}

function faultOf(text: string) {
  const read = canonicaliseArguments(text);
  if (read.kind === 'ok') throw new Error(`accepted as ${read.text}`);
  return read.fault;
}

const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

describe('RFC 8785', () => {
  test.each(readdirSync(new URL('input/', vectors)))(
    'the canonical form of %s is that of its public test data',
    (name) => {
      const canonical = canonicalise(JSON.parse(vector(`input/${name}`).toString()));
      expect(canonical).toBe(vector(`output/${name}`).toString());
      const hex = vector(`outhex/${name.replace('.json', '.txt')}`)
        .toString()
        .replaceAll(/\s/g, '');
      expect(Buffer.from(canonical).toString('hex')).toBe(hex);
    },
  );

  test('what JSON cannot say is thrown, not written as something else', () => {
    for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, '\ud800']) {
      expect(() => canonicalise(value)).toThrow();
    }
  });
});

describe('arguments that are one wish have one text', () => {
  test('empty text means no arguments', () => {
    expect(canonicaliseArguments('')).toEqual({ kind: 'ok', text: '{}', value: {} });
  });

  test.each([
    ['key order', '{"b":1,"a":2}', '{"a":2,"b":1}'],
    ['spacing', ' {\n\t"a" : [ 1 , 2 ] }\r\n', '{"a":[1,2]}'],
    ['escapes', '{"\\u0061":"\\u20ac\\/\\ud83d\\ude00"}', '{"a":"€/😀"}'],
    ['zeros', '{"a":[1.0,1e2,0.10,-0,0e9,100e-2,-0.0]}', '{"a":[1,100,0.1,0,0,1,0]}'],
    ['exponents', '{"a":[1E15,1e-6,5e-324]}', '{"a":[1000000000000000,0.000001,5e-324]}'],
  ])('%s does not matter', (_, given, canonical) => {
    expect(textOf(given)).toBe(canonical);
  });

  const text = fc.string({ unit: 'grapheme' });
  const number = fc.oneof(
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => Number.isSafeInteger(n) || !Number.isInteger(n)),
  );
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 5 },
      fc.oneof(text, number, fc.boolean(), fc.constant(null)),
      fc.array(tie('json')),
      fc.dictionary(text, tie('json')),
    ),
  }));
  const args = fc.dictionary(text, json);

  test('the canonical text of any JSON is its own canonical text, and says the same', () => {
    fc.assert(
      fc.property(args, (value) => {
        const given = JSON.stringify(value);
        const canonical = textOf(given);
        expect(textOf(canonical)).toBe(canonical);
        expect(JSON.parse(canonical)).toEqual(JSON.parse(given));
      }),
    );
  });

  test('another key order, spacing and number spelling of any JSON comes to the same text', () => {
    const respelled = (value: unknown): string => {
      if (typeof value === 'number') return value.toExponential().toUpperCase();
      if (typeof value !== 'object' || value === null) return JSON.stringify(value);
      if (Array.isArray(value)) return `[ ${value.map(respelled).join(' ,\n')}\t]`;
      const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)} :\r\n${respelled(member)}`);
      return `{ ${members.reverse().join(' , ')} }`;
    };
    fc.assert(
      fc.property(args, (value) => {
        expect(textOf(respelled(value))).toBe(textOf(JSON.stringify(value)));
      }),
    );
  });

  test('__proto__, constructor and their like are ordinary keys', () => {
    const read = canonicaliseArguments('{"toJSON":1,"constructor":{"__proto__":[]},"__proto__":{"a":1}}');
    expect(read).toMatchObject({ text: '{"__proto__":{"a":1},"constructor":{"__proto__":[]},"toJSON":1}' });
    if (read.kind === 'ok') expect(Object.keys(read.value as object)).toContain('__proto__');
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
    expect(faultOf('{"__proto__":1,"__proto__":2}')).toMatchObject({ field: '__proto__' });
  });
});

describe('arguments that cannot travel safely are refused, with the field and a way out', () => {
  test.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"items":[{"b":0},{"b":1,"c":2,"b":3}]}', '/items/1/b'],
    ['{"x":{"a/b~":1,"a/b~":1}}', '/x/a~1b~0'],
  ])('duplicate keys: %s', (text, field) => {
    expect(faultOf(text)).toMatchObject({ field, message: expect.stringContaining('twice') });
  });

  test.each([
    ['{"a":"\\ud800"}', 'a'],
    ['{"a":"\ud800x"}', 'a'],
    ['{"a":["ok","\\udc00\\ud800"]}', '/a/1'],
    ['{"b":{"\\ud800":1}}', '/b/\ufffd'],
    ['{"\udfff":1}', '\ufffd'],
  ])('lone surrogates: %j', (text, field) => {
    const fault = faultOf(text);
    expect(fault).toMatchObject({ field, message: expect.stringContaining('surrogate') });
    expect(JSON.stringify(fault).isWellFormed()).toBe(true);
    expect(fault.receivedJson?.isWellFormed()).toBe(true);
  });

  test.each([
    ['9007199254740993', '9007199254740991'],
    ['-9007199254740992', '9007199254740991'],
    ['1e21', '9007199254740991'],
    ['9007199254740990.5', undefined],
    ['1e400', undefined],
    ['-1e400', undefined],
    ['1e-400', undefined],
    ['0.1000000000000000055511151231257827', undefined],
    ['333333333.33333329', undefined],
    ['1.00000000000000000001', undefined],
  ])('a number that would change: %s', (number, limitJson) => {
    const fault = faultOf(`{"order":{"amount":${number}}}`);
    expect(fault).toMatchObject({ field: '/order/amount', receivedJson: number, limitJson });
    expect(fault.message).toContain('send it as a string');
    expect(textOf(`{"order":{"amount":"${number}"}}`)).toContain(number);
  });

  test.each(['9007199254740991', '-9007199254740991', '0.1', '4.350000000000000', '123456.789012345', '1.5e-300'])(
    'a number that stays the same is fine: %s',
    (number) => {
      expect(JSON.parse(textOf(`{"a":${number}}`))).toEqual({ a: Number(number) });
    },
  );

  test('more than 256 KiB, in bytes', () => {
    const text = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    expect(textOf(text(maxArgumentBytes))).toHaveLength(maxArgumentBytes);
    expect(faultOf(text(maxArgumentBytes + 1))).toMatchObject({ receivedJson: '262145', limitJson: '262144' });
    expect(faultOf(`{"a":"${'€'.repeat(90_000)}"}`)).toMatchObject({ limitJson: '262144' });
    // Small as given, large in canonical form.
    expect(faultOf(`{"a":[${Array(50_000).fill('9e15').join()}]}`)).toMatchObject({ limitJson: '262144' });
  });

  test('more than 64 deep, however deep', () => {
    expect(textOf(nested(64))).toBe(nested(64));
    expect(faultOf(nested(65))).toMatchObject({ field: 'a', limitJson: '64' });
    expect(faultOf(nested(100_000))).toMatchObject({ field: 'a', limitJson: '64' });
    expect(faultOf(`{"a":${'['.repeat(200_000)}`)).toMatchObject({ field: 'a', limitJson: '64' });
  });

  test.each([
    ['[1]', 'an array'],
    ['null', 'null'],
    ['"text"', 'a string'],
    ['12', 'a number'],
    ['true', 'a boolean'],
  ])('something else than an object: %s', (text, found) => {
    expect(faultOf(text).message).toContain(`this is ${found}`);
  });

  test.each([
    ' ',
    '{',
    '{"a":1,}',
    '{"a":[1,]}',
    '{"a":1} {"b":2}',
    '{"a":1}//',
    '{/* c */"a":1}',
    "{'a':1}",
    '{a:1}',
    '{"a":01}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":1.}',
    '{"a":NaN}',
    '{"a":undefined}',
    '{"a":"\t"}',
    '{"a":"\\x"}',
    '{"a" 1}',
    '\ufeff{}',
    '\u00a0{}',
  ])('what is not JSON, with the place: %j', (text) => {
    expect(faultOf(text).message).toMatch(/not JSON: .+ at line 1, column \d+/);
  });

  test('a fault never repeats more of a text than a reader needs', () => {
    const long = 'k'.repeat(100_000);
    for (const text of [
      `{"${long}":1,"${long}":2}`,
      `{"a":"${long}\\ud800"}`,
      `{"a":1${'0'.repeat(100_000)}}`,
      `{"a":0.${'0'.repeat(100_000)}1}`,
      `{"a":${'9'.repeat(300)}.5}`,
    ]) {
      expect(JSON.stringify(faultOf(text)).length).toBeLessThan(1_000);
    }
  });
});

describe('the quick road', () => {
  const token = fc.oneof(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '\\',
      ' ',
      '\n',
      '/',
      'null',
      'true',
      '\\u0061',
      '\\ud800',
      '\ud800',
    ),
    fc.constantFrom(
      '{"a":',
      '"a":',
      '"b":1,',
      '"__proto__":0',
      '9007199254740993',
      '1e400',
      '0.1',
      '-0',
      '1e3',
      '1E+2',
    ),
  );
  const soup = fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(''));
  const leaf = fc.oneof(
    fc.constantFrom('"\\ud800"', '"\ud83d\ude00"', '"\\""', '"\\\\"', '":"', '"a:1"', 'true', 'null', '[]', '{}'),
    fc.constantFrom(
      '9007199254740991',
      '9007199254740992',
      '1e21',
      '1e-7',
      '0.30000000000000004',
      '0.300000000000000040',
    ),
    fc.double({ noNaN: true }).map((value) => (Number.isFinite(value) ? String(value) : '1e999')),
  );
  const { json } = fc.letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('json'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
      fc
        .array(fc.tuple(fc.constantFrom('a', 'b', '\\u0061', 'a\\"', '__proto__', '\\udfff'), tie('json')), {
          maxLength: 3,
        })
        .map((members) => `{${members.map(([key, value]) => `"${key}" : ${value}`).join()}}`),
    ),
  }));

  test('comes to the verdict of the careful one, to the letter', () => {
    const texts = fc.oneof(
      soup,
      json,
      json.map((value) => `{"a":${value},"b":{"c":1}}`),
      fc.json(),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(canonicaliseArguments(text)).toEqual(canonicaliseCarefully(text));
      }),
      { numRuns: 5_000 },
    );
  });

  test('both agree with JSON.parse about what JSON is', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const notJson = canonicaliseCarefully(text || ' ');
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        if (!isJson) expect(notJson.kind).toBe('invalid');
        else if (notJson.kind === 'invalid') expect(notJson.fault.message).not.toContain('not JSON');
      }),
      { numRuns: 5_000 },
    );
  });
});
