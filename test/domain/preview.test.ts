import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { canonicalise } from '../../server/domain/canonical-json.ts';
import { previewDigestOf, shown, summaryOf } from '../../server/domain/preview.ts';

test('a tool without a template is summed up as the reference spells it', () => {
  expect(summaryOf('void_ticket', null, { ticket_id: 'T-4417' })).toBe('void ticket — awaiting confirmation.');
});

test('a template is filled from the arguments, by name and by JSON Pointer', () => {
  const args = { ticket_id: 'T-1', amount: 12.5, customer: { 'a/b': 'Ada' }, items: ['x', 'y'] };
  expect(summaryOf('refund', 'Refund {amount} of {ticket_id} to {/customer/a~1b}, {/items/1}', args)).toBe(
    'Refund 12.5 of T-1 to Ada, y',
  );
});

test('an argument that is not there is told so, and nothing is read from a prototype', () => {
  expect(summaryOf('refund', '{reason} {constructor} {/__proto__/x}', {})).toBe('(none) (none) (none)');
});

test('an argument that looks like a template is not filled again', () => {
  expect(summaryOf('refund', 'Refund {a}', { a: '{b} $& $1', b: 'x' })).toBe('Refund {b} $& $1');
});

test('the digest is the SHA-256 of the RFC 8785 form of kind, name, summary and arguments', () => {
  const args = { z: 1, a: 'é"\\\n', nested: { b: [1, 2.5], a: null } };
  const summary = 'Void "T-4417" — now\u202e';
  const form = canonicalise({ kind: 'tool.call', name: 'void_ticket', summary, arguments: args });
  const expected = `sha256:${createHash('sha256').update(form).digest('hex')}`;
  expect(previewDigestOf('void_ticket', summary, canonicalise(args))).toBe(expected);
});

test('what cannot be seen, or moves what can, is shown escaped', () => {
  expect(shown('pay \u202eNAHT\u202c EUR')).toBe('pay \\u202eNAHT\\u202c EUR');
  expect(shown('a\u200bb\u00adc\u0007d\u2028e\u3164f\u{e0041}g\ufeffh\u00a0i')).toBe(
    'a\\u200bb\\u00adc\\u0007d\\u2028e\\u3164f\\udb40\\udc41g\\ufeffh\\u00a0i',
  );
  expect(shown('Crème brûlée 12,50 € — 北京 😀')).toBe('Crème brûlée 12,50 € — 北京 😀');
});
