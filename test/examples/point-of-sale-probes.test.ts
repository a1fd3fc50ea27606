import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseCatalog } from '../../server/catalog/parse-catalog.ts';
import {
  blocked,
  elsewhere,
  ledger,
  logOf,
  newKey,
  newSecret,
  probe,
  read,
  shopsOfThisFile,
  startShop,
  statusOf,
  voiding,
  write,
} from './shop.ts';

shopsOfThisFile();

describe('a probe', () => {
  test('of what was done gives the first result, as it was sent', async () => {
    const shop = await startShop();
    const key = newKey();
    const done = await write(shop, 'void_ticket', voiding, { key });
    const answer = await probe(shop, 'void_ticket', key, 3);
    expect(answer).toMatchObject({ status: 200, text: `{"disposition":"executed","result":${done.text}}` });
    expect((await logOf(shop)).at(-1)).toMatchObject({ tool: 'void_ticket', request_id: key, answer: 'executed' });
  });

  test('of what was not done promises that it never will be: the attempt is turned away when it comes', async () => {
    const shop = await startShop();
    const key = newKey();
    expect((await probe(shop, 'void_ticket', key, 2)).body).toEqual({ disposition: 'not_executed' });
    // A question about an earlier attempt takes nothing back.
    expect((await probe(shop, 'void_ticket', key, 1)).body).toEqual({ disposition: 'not_executed' });
    for (const attempt of [1, 2]) {
      expect(await write(shop, 'void_ticket', voiding, { key, attempt })).toMatchObject({
        status: 425,
        body: { error: 'attempt_withdrawn', received: attempt, effect: 'NONE', retryable: true },
      });
    }
    expect(await statusOf('T-4417')).toBe('open');
    expect(await ledger()).toEqual([]);
    expect((await write(shop, 'void_ticket', voiding, { key, attempt: 3 })).body).toMatchObject({ status: 'void' });
    expect((await probe(shop, 'void_ticket', key, 3)).body).toMatchObject({ disposition: 'executed' });
  });

  test('of what is being done says so, and fences nothing off', async () => {
    const shop = await startShop();
    const key = newKey();
    const holder = await elsewhere("select from tickets where id = 'T-4417' for update");
    const slow = write(shop, 'void_ticket', voiding, { key });
    await blocked();
    expect((await probe(shop, 'void_ticket', key)).body).toEqual({ disposition: 'in_progress' });
    await holder.commit();
    expect((await slow).body).toMatchObject({ status: 'void' });
    expect((await probe(shop, 'void_ticket', key)).body).toMatchObject({ disposition: 'executed' });
  });

  test('of what the ledger cannot answer for is unknown', async () => {
    const shop = await startShop();
    const key = newKey();
    await write(shop, 'void_ticket', voiding, { key });
    for (const tool of ['refund', 'get_ticket', 'no_such_tool']) {
      expect((await probe(shop, tool, key)).body).toEqual({ disposition: 'unknown' });
    }
  });

  test('and the write that it asks about, at once: never both "not executed" and done', async () => {
    const shop = await startShop();
    const met = await Promise.all(
      Array.from({ length: 60 }, async (_, number) => {
        const key = newKey();
        const args = { item_id: 'soda', price_usd: number };
        const calls = [write(shop, 'change_price', args, { key }), probe(shop, 'change_price', key)] as const;
        const [written, probed] = await Promise.all(calls);
        return { done: written.status === 200, told: probed.body.disposition };
      }),
    );
    expect(met.filter(({ done, told }) => done && told === 'not_executed')).toEqual([]);
    expect(met.filter(({ done, told }) => !done && told !== 'not_executed')).toEqual([]);
  });
});

test('the checks that the catalog declares say what the shop answers', async () => {
  const shop = await startShop();
  const file = new URL('../../examples/point-of-sale/tether.yaml', import.meta.url);
  const parsed = parseCatalog(readFileSync(file, 'utf8'), {
    env: { POS_SIGNING_SECRET: newSecret() },
    readFile: () => '',
  });
  if (parsed.kind === 'invalid') throw new Error('the catalog is invalid');
  const judge = async (tool: string, check: 'precondition' | 'verify', args: Record<string, unknown>) => {
    const declared = parsed.catalog.tools.get(tool)?.[check];
    if (!declared?.expect) throw new Error(`${tool} declares no ${check}`);
    const mapped = Object.entries(declared.arguments).map(([name, pointer]) => [name, args[pointer.slice(1)]]);
    const { body } = await read(shop, declared.read, Object.fromEntries(mapped));
    return declared.expect.judge({ args, result: body }).kind;
  };
  const refunding = { ticket_id: 'T-4402', amount_usd: 40, reason: 'cold pizza' };
  const pricing = { item_id: 'soda', price_usd: 5.5 };
  expect(await judge('void_ticket', 'precondition', voiding)).toBe('true');
  expect(await judge('void_ticket', 'precondition', { ...voiding, ticket_id: 'T-4402' })).toBe('false');
  expect(await judge('refund', 'precondition', refunding)).toBe('true');
  expect(await judge('refund', 'precondition', { ...refunding, amount_usd: 45 })).toBe('false');
  for (const [tool, args] of Object.entries({ void_ticket: voiding, refund: refunding, change_price: pricing })) {
    expect(await judge(tool, 'verify', args), tool).toBe('false');
    await write(shop, tool, args);
    expect(await judge(tool, 'verify', args), tool).toBe('true');
  }
  expect(await judge('refund', 'precondition', refunding)).toBe('false');
});
