import { describe, expect, test } from 'vitest';
import {
  blocked,
  database,
  elsewhere,
  ledger,
  logOf,
  newKey,
  read,
  shopsOfThisFile,
  startShop,
  statusOf,
  voiding,
  write,
} from './shop.ts';

shopsOfThisFile();

describe('writes', () => {
  test('what is done is done once, and stands in the log and in the ledger', async () => {
    const shop = await startShop();
    const key = newKey();
    const { body, text: first } = await write(shop, 'void_ticket', voiding, { key });
    expect(body).toMatchObject({ ticket_id: 'T-4417', status: 'void', total_usd: 84.5, reason: 'guest left' });
    expect(await statusOf('T-4417')).toBe('void');
    expect(await ledger()).toEqual([{ key, tool: 'void_ticket', result: first }]);
    expect(await logOf(shop)).toEqual([
      expect.objectContaining({
        tool: 'void_ticket',
        request_id: key,
        attempt: 1,
        user_id: 'u_7',
        args: voiding,
        answer: 'done',
      }),
    ]);
  });

  test('what cannot be done is refused with what would be accepted, and changes nothing', async () => {
    const shop = await startShop();
    const cases: [string, unknown, Record<string, unknown>][] = [
      [
        'void_ticket',
        { ticket_id: 'T-4402', reason: 'oops' },
        { error: 'ticket_not_open', received: 'paid', accepted: ['open'] },
      ],
      ['void_ticket', { ticket_id: 'T-0', reason: 'oops' }, { error: 'ticket_not_found', received: 'T-0' }],
      ['void_ticket', { ticket_id: 7, reason: 'oops' }, { error: 'invalid_argument', field: 'ticket_id', received: 7 }],
      ['void_ticket', { ticket_id: 'T-4417' }, { error: 'invalid_argument', field: 'reason' }],
      [
        'refund',
        { ticket_id: 'T-4417', amount_usd: 1, reason: 'oops' },
        { error: 'ticket_not_paid', received: 'open' },
      ],
      [
        'refund',
        { ticket_id: 'T-4402', amount_usd: 44.01, reason: 'oops' },
        { error: 'amount_exceeds_paid', limit: 44 },
      ],
      [
        'refund',
        { ticket_id: 'T-4402', amount_usd: 1.005, reason: 'oops' },
        { error: 'invalid_argument', received: 1.005 },
      ],
      [
        'refund',
        { ticket_id: 'T-4402', amount_usd: '5', reason: 'oops' },
        { error: 'invalid_argument', received: '5' },
      ],
      [
        'change_price',
        { item_id: 'flat-whit', price_usd: 5 },
        { error: 'item_not_found', accepted: expect.arrayContaining(['flat-white']) },
      ],
      ['change_price', { item_id: 'soda', price_usd: -1 }, { error: 'invalid_argument', field: 'price_usd' }],
    ];
    for (const [tool, args, refusal] of cases) {
      const answer = await write(shop, tool, args);
      const expected = { status: 200, body: { ...refusal, effect: 'NONE', retryable: false } };
      expect(answer, `${tool} ${JSON.stringify(args)}`).toMatchObject(expected);
      expect(answer.body.message).toMatch(/\.$/);
      expect((await logOf(shop)).at(-1)).toMatchObject({ answer: 'refused', error: refusal.error });
    }
    expect(await ledger()).toEqual([]);
    expect(await database.query("select from tickets where status = 'void'")).toHaveLength(1);
    expect(await database.query('select from refunds')).toEqual([]);
  });

  test('refunds add up to what was paid and no further, also at once', async () => {
    const shop = await startShop();
    const refund = (amount_usd: number) =>
      write(shop, 'refund', { ticket_id: 'T-4402', amount_usd, reason: 'cold pizza' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => refund(13)));
    expect(answers.filter(({ body }) => body.error === undefined)).toHaveLength(3);
    const { body } = await refund(13);
    expect(body).toMatchObject({ error: 'amount_exceeds_paid', received: 13, limit: 5 });
    const [rest] = body.alternatives as { arguments: { amount_usd: number } }[];
    expect((await refund(rest?.arguments.amount_usd ?? 0)).body).toMatchObject({
      amount_usd: 5,
      refunded_total_usd: 44,
    });
  });

  test('duplicates at once make one write, and all get its result', async () => {
    const shop = await startShop();
    const key = newKey();
    const args = { ticket_id: 'T-4402', amount_usd: 10, reason: 'cold pizza' };
    const answers = await Promise.all(Array.from({ length: 30 }, () => write(shop, 'refund', args, { key })));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ amount_usd: 10, refunded_total_usd: 10 });
    expect(await database.query('select from refunds')).toHaveLength(1);
    const said = (await logOf(shop)).map((line) => line.answer);
    expect(said.filter((answer) => answer === 'done')).toHaveLength(1);
    expect(said.filter((answer) => answer === 'repeated')).toHaveLength(29);
  });

  test('a key that was used for something else is refused', async () => {
    const shop = await startShop();
    const key = newKey();
    await write(shop, 'void_ticket', voiding, { key });
    for (const [tool, args] of [
      ['void_ticket', { ...voiding, ticket_id: 'T-4421' }],
      ['change_price', { item_id: 'soda', price_usd: 6 }],
    ] as const) {
      expect((await write(shop, tool, args, { key })).body).toMatchObject({
        error: 'idempotency_key_reused',
        received: key,
      });
    }
    expect(await statusOf('T-4421')).toBe('open');
    expect(await ledger()).toHaveLength(1);
  });

  test('a refusal is not remembered: the same call may be right later', async () => {
    const shop = await startShop();
    const key = newKey();
    const args = { ticket_id: 'T-4421', amount_usd: 31, reason: 'cold pizza' };
    expect((await write(shop, 'refund', args, { key })).body).toMatchObject({ error: 'ticket_not_paid' });
    await database.query("update tickets set status = 'paid', closed_at = now() where id = 'T-4421'");
    expect((await write(shop, 'refund', args, { key, attempt: 2 })).body).toMatchObject({ amount_usd: 31 });
  });
});

describe('the deadline', () => {
  test('a call that comes after it is turned away, and nothing is done', async () => {
    const shop = await startShop();
    const answer = await write(shop, 'void_ticket', voiding, { deadline: new Date(Date.now() - 1_000) });
    expect(answer).toMatchObject({ status: 425, body: { error: 'past_deadline', effect: 'NONE', retryable: true } });
    expect(answer.body.message).toMatch(/past its deadline .*, nothing was done/);
    expect(await statusOf('T-4417')).toBe('open');
    expect(await ledger()).toEqual([]);
  });

  test('one that came in time and would be done after it is not done either, by the clock of the database', async () => {
    // The shop's database tells the time of a table.
    await database.query('create schema told');
    await database.query("create table told.time as select timestamptz '2026-08-20T18:41:00Z' as now");
    await database.query(
      "create function told.clock_timestamp() returns timestamptz language sql volatile as 'select now from told.time'",
    );
    const url = new URL(database.url);
    url.searchParams.set('options', '-c search_path=told,pg_catalog');
    const shop = await startShop({ POS_DATABASE_URL: url.href });
    const deadline = new Date('2026-08-20T18:41:07Z');
    const holder = await elsewhere("select from told.tickets where id = 'T-4417' for update");
    const late = write(shop, 'void_ticket', voiding, { deadline });
    await blocked();
    await database.query("update told.time set now = '2026-08-20T18:41:07Z'");
    await holder.commit();
    expect((await late).body).toMatchObject({ error: 'past_deadline', received: '2026-08-20T18:41:07.000Z' });
    expect((await read(shop, 'get_ticket', { ticket_id: 'T-4417' })).body).toMatchObject({ status: 'open' });
    await database.query("update told.time set now = '2026-08-20T18:41:06Z'");
    expect((await write(shop, 'void_ticket', voiding, { deadline })).body).toMatchObject({ status: 'void' });
  });

  test('a repeat gets the first result at any time', async () => {
    const shop = await startShop();
    const key = newKey();
    const first = await write(shop, 'void_ticket', voiding, { key });
    const again = await write(shop, 'void_ticket', voiding, { key, attempt: 2, deadline: new Date(0) });
    expect(again).toEqual(first);
  });
});
