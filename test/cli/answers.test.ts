import { describe, expect, test } from 'vitest';
import { answerFindings } from '../../server/cli/check/answer.ts';

const input = { type: 'object', properties: { limit: { type: 'integer', default: 20, maximum: 100 } } };

function findingsOf(answer: unknown, args: unknown = {}, maxResponseBytes = 262_144): string[] {
  const text = JSON.stringify(answer);
  const found = answerFindings({ text, tool: { input }, args, maxResponseBytes });
  for (const { message } of found) expect(message).toMatch(/[.)]$/);
  return found.map(({ rule, path }) => `${path} ${rule}`);
}

test('an answer that is shaped for a reader gives nothing to warn about', () => {
  const answer = {
    tickets: [
      {
        ticket_id: '4417',
        table: 12,
        total_usd: 84.5,
        opened_at: '2026-08-20T17:59:00Z',
        closed_at: null,
        seen_at: '2026-08-20T19:59:00+02:00',
        business_date: '2026-08-20',
        version: '1.2',
        zip: '04109',
        phone: '+49341123456',
        price: { amount: 4.5, currency: 'USD' },
        lines: [{ item_id: 'soda', quantity: 2 }],
        tags: ['terrace', 'card'],
        next_page_token: 'abc',
      },
    ],
    returned: 1,
    total: 340,
    truncated: true,
  };
  expect(findingsOf(answer)).toEqual([]);
});

describe('what a reader stumbles over', () => {
  test.each<[string, unknown, string[]]>([
    ['a number in quotes', { total_usd: '84.50' }, ['/total_usd number-as-text']],
    ['a price tag', { price: '$4.50' }, ['/price number-as-text']],
    ['a price tag with a code', { price_label: '4.50 USD' }, ['/price_label number-as-text']],
    ['a count in quotes', { ticket_count: '12' }, ['/ticket_count number-as-text']],
    ['seconds since 1970', { opened_at: 1_787_248_740 }, ['/opened_at epoch-time']],
    ['milliseconds since 1970', { opened: 1_787_248_740_000 }, ['/opened epoch-time']],
    ['the same in quotes', { created: '1787248740' }, ['/created epoch-time']],
    ['an id that could be a time', { ticket_id: 1_787_248_740_000, serial: 1_787_248_740 }, []],
    ['a time without its zone', { opened_at: '2026-08-20 17:59:00' }, ['/opened_at time-without-zone']],
    ['a date in local style', { when: '20/08/2026 17:59' }, ['/when time-not-iso']],
    ['an amount without a unit', { total: 84.5, fee: 3 }, ['/total amount-without-unit', '/fee amount-without-unit']],
    [
      'rows without names',
      {
        rows: [
          ['T-4417', 12],
          ['T-4421', 4],
        ],
      },
      ['/rows positional-array'],
    ],
    ['a row of mixed values', { ticket: ['T-4417', 12, true] }, ['/ticket positional-array']],
    ['a list of numbers', { tables: [3, 4, 7] }, []],
    ['a bare list', [{ id: 'a' }], [' bare-list']],
    ['a password', { user: { password: 'hunter2' } }, ['/user/password sensitive-field']],
    ['a token', { apiKey: 'k', accessToken: 't' }, ['/apiKey sensitive-field', '/accessToken sensitive-field']],
    ['a card number', { note: '4111 1111 1111 1111' }, ['/note sensitive-field']],
    ['a card number as a number', { paid_with: 5_500_000_000_000_004 }, ['/paid_with sensitive-field']],
    ['digits that are no card', { reference: '4111 1111 1111 1112', zeros: '0000000000000000' }, []],
    ['a secret that is not there', { password: null, token: '' }, []],
    ['nothing, as an error', { error: 'no_tickets_found' }, ['/error empty-as-error']],
    ['nothing at all', null, [' empty-as-error']],
    ['an error', { error: 'forbidden', message: 'Managers only.' }, ['/error sample-refused']],
    ['an error that is none', { error: null, tickets: [] }, []],
    ['a name with a slash', { 'a/b': { secret: 1 } }, ['/a~1b/secret sensitive-field']],
  ])('%s', (_, answer, findings) => {
    expect(findingsOf(answer)).toEqual(findings);
  });

  test('of a list, each kind is told at its first element', () => {
    const tickets = Array.from({ length: 7 }, () => ({ total: 1.5, lines: [{ price: '1.50' }] }));
    expect(findingsOf({ tickets })).toEqual([
      '/tickets/0/total amount-without-unit',
      '/tickets/0/lines/0/price number-as-text',
    ]);
  });

  test('a secret is never repeated', () => {
    const answer = { password: 'hunter2', card: '4111111111111111' };
    const found = answerFindings({ text: JSON.stringify(answer), tool: { input }, args: {}, maxResponseBytes: 1e6 });
    expect(found).toHaveLength(2);
    expect(JSON.stringify(found)).not.toMatch(/hunter2|4111/);
  });
});

describe('a list that may have been cut', () => {
  const list = (length: number, more: object = {}) => ({
    tickets: Array.from({ length }, (_, id) => ({ id: `T-${id}` })),
    ...more,
  });

  test.each<[string, object, object, string[]]>([
    ['as long as was asked for', list(7), { limit: 7 }, ['/tickets full-page']],
    ['as long as the default', list(20), {}, ['/tickets full-page']],
    ['as long as can be', list(100), { limit: 500 }, ['/tickets full-page']],
    ['a round number', list(50), {}, ['/tickets full-page']],
    ['shorter than was asked for', list(6), { limit: 7 }, []],
    ['that says it was not', list(7, { truncated: false }), { limit: 7 }, []],
    ['with a way to go on', list(7, { nextCursor: null }), { limit: 7 }, []],
    ['with the number of all', list(7, { total: 7 }), { limit: 7 }, []],
    ['with the word around it', { page: list(7), has_more: false }, { limit: 7 }, []],
  ])('%s', (_, answer, args, findings) => {
    expect(findingsOf(answer, args)).toEqual(findings);
  });

  test('an answer over half of what is read', () => {
    expect(findingsOf({ text: 'x'.repeat(600) }, {}, 1_000)).toEqual([' large-answer']);
    expect(findingsOf({ text: 'x'.repeat(400) }, {}, 1_000)).toEqual([]);
  });
});
