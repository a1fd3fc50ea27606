import { describe, expect, test } from 'vitest';
import { jsonFromText } from '../../server/dispatch/json-text.ts';
import { vendorError } from '../../server/dispatch/vendor-error.ts';

function read(text: string) {
  const json = jsonFromText(text);
  return json && vendorError(json);
}

describe('a vendor’s refusal in JSON', () => {
  test('is read in the shape of a model-actionable error, with every value as it was sent', () => {
    const text = `{
      "error": "amount_exceeds_limit",
      "message": "Amount 8500.00 GBP exceeds the per-transaction limit of 5000.00 GBP for this account.",
      "field": "amount", "received": 8500.00, "limit": {"max": 12345678901234567890},
      "accepted": [1.50, "all", null], "retryable": false, "retry_after": 30,
      "alternatives": [
        {"action": "split_payment", "max_amount": 5000.00, "parts": [1,  2]},
        {"action": "request_limit_increase", "tool": "create_limit_review", "arguments": {"to": 8500.00}, "description": "Ask."},
        "call_the_bank"
      ]}`;
    expect(read(text)).toEqual({
      code: 'amount_exceeds_limit',
      message: 'Amount 8500.00 GBP exceeds the per-transaction limit of 5000.00 GBP for this account.',
      field: 'amount',
      receivedJson: '8500.00',
      limitJson: '{"max": 12345678901234567890}',
      acceptedJson: ['1.50', '"all"', 'null'],
      effect: 'NONE',
      retryable: false,
      retryAfterSeconds: 30,
      alternatives: [
        { action: 'split_payment', extraJson: '{"max_amount": 5000.00,"parts": [1,  2]}' },
        {
          action: 'request_limit_increase',
          tool: 'create_limit_review',
          argumentsJson: '{"to": 8500.00}',
          description: 'Ask.',
        },
        { action: 'call_the_bank' },
      ],
    });
  });

  test('may have its parts inside the error', () => {
    const text = '{"error": {"code": "LOCKED", "message": "Locked.", "field": "/lines/0/id", "effect": "unknown"}}';
    expect(read(text)).toMatchObject({ code: 'LOCKED', message: 'Locked.', field: '/lines/0/id', effect: 'UNKNOWN' });
  });

  test.each([
    ['{"error":"Closed."}', 'REFUSED', 'Closed.'],
    ['{"error":"Closed.","message":"Since noon."}', 'REFUSED', 'Closed. Since noon.'],
    ['{"error":"INSUFFICIENT_FUNDS","message":"Not enough."}', 'INSUFFICIENT_FUNDS', 'Not enough.'],
    ['{"error":"Not Found"}', 'REFUSED', 'Not Found'],
    ['{"message":"No.","code":"E17"}', 'E17', 'No.'],
    ['{"error":["a"]}', 'REFUSED', 'The endpoint refused the call: REFUSED.'],
  ])('%s', (text, code, message) => {
    expect(read(text)).toMatchObject({ code, message });
  });

  test.each(['{}', '[]', '7', '{"error":null}', '{"error":"","message":""}', '{"errors":["x"]}'])(
    'is not found in %s',
    (text) => {
      expect(read(text)).toBeUndefined();
    },
  );

  test('is fit to be stored: no NUL, no half characters, no endless text', () => {
    const error = read(`{"error":"a\\u0000b\\ud800c","message":"${'x'.repeat(10_000)}","field":"${'f'.repeat(500)}"}`);
    expect(error?.message.startsWith('a\ufffdb\ufffdc x')).toBe(true);
    expect(error?.message.length).toBe(4_000);
    expect(error?.field?.length).toBe(200);
    expect(error?.message.isWellFormed()).toBe(true);
  });

  test('nested more deeply than anything sensible, it is still a refusal', () => {
    const deep = '['.repeat(60_000) + ']'.repeat(60_000);
    expect(read(`{"error":"Closed.","received":${deep}}`)).toMatchObject({ code: 'REFUSED' });
  });
});
