import { describe, expect, test } from 'vitest';
import { parseCatalog } from '../../server/catalog/parse-catalog.ts';
import { declarationWarnings } from '../../server/cli/check/declarations.ts';

const careful = `version: 1
endpoints:
  pos:
    transport: json
    url: http://127.0.0.1:8090/tools
    probe: true
tools:
  get_ticket:
    endpoint: pos
    description: One ticket by its id, with its total in USD.
    input:
      type: object
      required: [ticket_id]
      properties: { ticket_id: { type: string } }
      additionalProperties: false
  refund:
    endpoint: pos
    is_write: true
    description: Pays back a part of a paid ticket.
    input:
      type: object
      required: [ticket_id, amount_usd]
      properties:
        ticket_id: { type: string }
        amount_usd: { type: number }
      additionalProperties: false
    summary: Refund {amount_usd} USD
    risk: normal
    value: { pointer: /amount_usd, threshold: 50 }
    precondition: { read: get_ticket, arguments: { ticket_id: /ticket_id } }
    verify: { read: get_ticket, arguments: { ticket_id: /ticket_id }, expect: result.refunded }
`;

function warningsOf(text: string) {
  const parsed = parseCatalog(text, { env: {}, readFile: () => '' });
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  return declarationWarnings(parsed).map(({ rule, place, path }) => `${place?.line} ${path} ${rule}`);
}

test('a careful catalog gives nothing to warn about', () => {
  expect(warningsOf(careful)).toEqual([]);
});

describe('a careless one is warned of, at its line', () => {
  test.each<[string, string, string[]]>([
    // in place of, this, the warnings
    ['    probe: true\n', '', ['3 endpoints.pos no-probe']],
    ['    probe: true', '    probe: true\n    timeout_seconds: 90', ['7 endpoints.pos.timeout_seconds long-timeout']],
    [
      'One ticket by its id, with its total in USD.',
      'A ticket.',
      ['10 tools.get_ticket.description description-short'],
    ],
    ['      additionalProperties: false\n  refund', '  refund', ['11 tools.get_ticket.input open-arguments']],
    ['Pays back a part', 'Gives back a part', []],
    ['    summary: Refund {amount_usd} USD\n', '', ['16 tools.refund no-summary']],
    ['    risk: normal\n', '', ['16 tools.refund no-risk']],
    [
      '    value: { pointer: /amount_usd, threshold: 50 }\n',
      '',
      ['25 tools.refund.input.properties.amount_usd money-without-value'],
    ],
    [
      '    precondition: { read: get_ticket, arguments: { ticket_id: /ticket_id } }\n',
      '',
      ['16 tools.refund no-precondition'],
    ],
    [
      '    verify: { read: get_ticket, arguments: { ticket_id: /ticket_id }, expect: result.refunded }\n',
      '',
      ['16 tools.refund no-verify'],
    ],
    ['required: [ticket_id, amount_usd]', 'required: [ticket_id]', ['29 tools.refund.value.pointer value-optional']],
    [
      'required: [ticket_id, amount_usd]',
      'required: [amount_usd]',
      [
        '30 tools.refund.precondition.arguments.ticket_id check-argument-optional',
        '31 tools.refund.verify.arguments.ticket_id check-argument-optional',
      ],
    ],
  ])('%j → %j', (part, instead, warnings) => {
    expect(careful).toContain(part);
    expect(warningsOf(careful.replace(part, instead))).toEqual(warnings);
  });

  test('an amount without a unit, unless its description or another argument tells it', () => {
    const named = (argument: string) =>
      careful.replaceAll('amount_usd', 'amount').replace('amount: { type: number }', argument);
    const warning = '25 tools.refund.input.properties.amount money-without-unit';
    expect(warningsOf(named('amount: { type: number }'))).toEqual([warning]);
    expect(warningsOf(named('amount: { type: number, description: "As a number." }'))).toEqual([warning]);
    expect(warningsOf(named('amount: { type: number, description: "In euros." }'))).toEqual([]);
    expect(warningsOf(named('amount: { type: number }\n        currency: { type: string }'))).toEqual([]);
  });
});

describe('names tell what a tool is, or seem to', () => {
  const asRead = (name: string, description = 'What there is to say about it, in USD.') =>
    warningsOf(
      careful
        .replace('get_ticket:', `${name}:`)
        .replaceAll('read: get_ticket', `read: ${name}`)
        .replace('One ticket by its id, with its total in USD.', description),
    );

  test.each(['send_receipt', 'chargeCard', 'notify', 'create_ticket', 'ticket_void', 'mark_as_paid', 'lock-table'])(
    '%s is no name of a read',
    (name) => expect(asRead(name)).toEqual([`8 tools.${name} read-like-write`]),
  );

  test.each([
    'get_charge',
    'list_refunds',
    'order_status',
    'transfer_history',
    'ticket',
    'find_open_tickets',
    'isLocked',
    'refund_total',
  ])('%s is', (name) => expect(asRead(name)).toEqual([]));

  test('a description can give it away too', () => {
    expect(asRead('receipt', 'Sends the receipt to the guest.')).toEqual(['8 tools.receipt read-like-write']);
    expect(asRead('receipt', 'The receipt that was sent to the guest.')).toEqual([]);
  });

  test('a write that is called like a look-up', () => {
    const text = careful.replace('  refund:', '  get_refund:');
    expect(warningsOf(text)).toEqual(['16 tools.get_refund write-like-read']);
  });
});
