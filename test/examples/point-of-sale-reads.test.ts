import { describe, expect, test } from 'vitest';
import { database, read, shopsOfThisFile, startShop } from './shop.ts';

shopsOfThisFile();

describe('reads', () => {
  test('open tickets come oldest first, with units, zones and numbers that a reader understands', async () => {
    const shop = await startShop();
    const { body } = await read(shop, 'get_open_tickets');
    expect(body).toEqual({
      tickets: [
        { ticket_id: 'T-4417', table: 12, total_usd: 84.5, opened_at: expect.stringMatching(/^\d{4}-.*Z$/) },
        expect.objectContaining({ ticket_id: 'T-4421', total_usd: 31 }),
        expect.objectContaining({ ticket_id: 'T-4423', total_usd: 13.5 }),
        expect.objectContaining({ ticket_id: 'T-4430', total_usd: 0 }),
        expect.objectContaining({ ticket_id: 'T-4435', total_usd: 10 }),
        expect.objectContaining({ ticket_id: 'T-4438', total_usd: 36 }),
        expect.objectContaining({ ticket_id: 'T-4441', total_usd: 13 }),
      ],
      returned: 7,
      truncated: false,
    });
  });

  test('a list that is cut says so, one that is whole does not, and an empty one is empty', async () => {
    const shop = await startShop();
    expect((await read(shop, 'get_open_tickets', { limit: 6 })).body).toMatchObject({ returned: 6, truncated: true });
    expect((await read(shop, 'get_open_tickets', { limit: 7 })).body).toMatchObject({ returned: 7, truncated: false });
    await database.query("update tickets set status = 'paid', closed_at = now() where status = 'open'");
    expect((await read(shop, 'get_open_tickets')).body).toEqual({ tickets: [], returned: 0, truncated: false });
    expect((await read(shop, 'get_open_tickets', { limit: 101 })).body).toMatchObject({ field: 'limit', limit: 100 });
  });

  test('a ticket comes with its lines; one that is not there is refused with where to look', async () => {
    const shop = await startShop();
    expect((await read(shop, 'get_ticket', { ticket_id: 'T-4402' })).body).toMatchObject({
      status: 'paid',
      total_usd: 44,
      refunded_usd: 0,
      refundable_usd: 44,
      closed_at: expect.stringMatching(/Z$/),
      lines: [{ item_id: 'margherita', name: 'Pizza Margherita', quantity: 2, unit_price_usd: 13 }, { quantity: 2 }],
    });
    expect((await read(shop, 'get_ticket', { ticket_id: 'T-4430' })).body).toMatchObject({
      lines: [],
      closed_at: null,
    });
    const price = { item_id: 'soda', name: 'Rhubarb soda', price_usd: 5 };
    expect((await read(shop, 'get_item', { item_id: 'soda' })).body).toEqual(price);
    const missing = await read(shop, 'get_ticket', { ticket_id: 'T-1' });
    expect(missing).toMatchObject({
      status: 200,
      body: { error: 'ticket_not_found', field: 'ticket_id', received: 'T-1' },
    });
    expect(missing.body.alternatives).toMatchObject([{ tool: 'get_open_tickets' }]);
  });
});
