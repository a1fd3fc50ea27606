/**
 * The server's own dispatcher against an endpoint of this package, behind every server that there is an adapter for: what a vendor
 * writes once means the same to Tether everywhere.
 */
import { pgLedger } from '@tether/endpoint/pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeCall, readCall } from '../../dispatch/calls.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { newKey } from './ledger-calls.ts';
import { chargesTable, poolOf } from './ledgers.ts';
import { servers } from './servers.ts';
import { chargeCall, newSecret, openShop, secret, tetherTo } from './shop.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase({ empty: true });
  await database.query(chargesTable);
  const pool = poolOf(database.url);
  await pgLedger(pool).migrate();
  await pool.end();
});
afterAll(() => database.drop());

const charges = async (account: string) =>
  (await database.query('select 1 from charges where account = $1', [account])).length;

/** The refusal of the shop, as Tether reads it. */
const refusal = {
  code: 'amount_exceeds_limit',
  message: 'Amount 8500 exceeds 5000.',
  field: 'amount',
  receivedJson: '8500',
  limitJson: '5000',
  acceptedJson: ['1', '{"upTo":5000}'],
  effect: 'NONE',
  retryable: true,
  retryAfterSeconds: 2.5,
  alternatives: [
    {
      ...{ action: 'split', tool: 'charge', argumentsJson: '{"amount":5000}', description: 'In two.' },
      extraJson: '{"fee_usd":1,"why":["€"]}',
    },
    { action: 'ask', tool: undefined, argumentsJson: undefined, description: undefined, extraJson: undefined },
  ],
};

describe.each(Object.entries(servers))('behind %s', (_, serve) => {
  const open = async (...options: Parameters<typeof openShop> extends [string, (infer O)?] ? [O?] : never) => {
    const shop = openShop(database.url, ...options);
    const served = await serve(shop.endpoint);
    return { ...shop, served, tether: tetherTo(served) };
  };

  test('a write is made, told with its result, and repeated with the same bytes', async () => {
    const { tether, answered } = await open();
    const call = chargeCall({ name: 'Zoë 🍜' });
    const succeeded = { kind: 'succeeded', result: expect.stringContaining(`"account":"${call.requestId}"`) };
    const first = await tether.write(call);
    expect(first).toEqual(succeeded);
    expect(await tether.write({ ...call, attempt: 2 })).toEqual(first);
    expect(await charges(call.requestId)).toBe(1);
    expect(answered).toEqual([
      { tool: 'charge', mode: 'execute', requestId: call.requestId, attempt: 1, outcome: 'result' },
      { tool: 'charge', mode: 'execute', requestId: call.requestId, attempt: 2, outcome: 'replayed' },
    ]);
  });

  test('a handler is told what the call says', async () => {
    const { tether } = await open();
    const tenant = { id: 'acme', scope: 'store-12', userId: 'u_7' };
    const answer = await tether.read(readCall({ tool: 'look', arguments: '{"n":0.1,"t":"€"}', tenant }));
    expect(answer.kind === 'result' && JSON.parse(answer.result)).toEqual({
      args: { n: 0.1, t: '€' },
      call: {
        ...{ requestId: expect.stringMatching(/^[0-9a-f]{32}$/), tool: 'look', tenant, attempt: 1 },
        deadline: expect.any(String),
      },
    });
    const call = chargeCall();
    expect(await tether.write(call)).toMatchObject({
      result: expect.stringContaining(`"actionId":"${call.actionId}"`),
    });
  });

  test('a refusal keeps every field, changes nothing, and is what a repeat of the attempt gets', async () => {
    const { tether } = await open();
    const call = chargeCall({ andThen: 'refuse' });
    const refused = { kind: 'refused', effect: 'NONE', error: refusal };
    expect(await tether.write(call)).toEqual(refused);
    expect(await tether.write(call)).toEqual(refused);
    expect(await charges(call.requestId)).toBe(0);
    expect(await tether.probe(probeCall({ ...call, attempt: 1 }))).toEqual({
      ...{ disposition: 'NOT_EXECUTED', result: null, refusal },
    });
    const read = await tether.read(readCall({ tool: 'refuse_to_look' }));
    expect(read.kind === 'result' && JSON.parse(read.result)).toMatchObject({ error: refusal.code, received: 8500 });
  });

  test('a key that comes with other arguments is refused', async () => {
    const { tether } = await open();
    const call = chargeCall();
    await tether.write(call);
    const other = { ...call, arguments: JSON.stringify({ account: call.requestId, amount: 8 }), attempt: 2 };
    expect(await tether.write(other)).toMatchObject({ kind: 'refused', error: { code: 'idempotency_key_reused' } });
    expect(await charges(call.requestId)).toBe(1);
  });

  test('after its deadline nothing is done, and it may be confirmed again', async () => {
    const { tether } = await open();
    const call = chargeCall({}, { deadline: new Date(Date.now() - 1) });
    expect(await tether.write(call)).toMatchObject({ kind: 'failed', effect: 'NONE', error: { retryable: true } });
    expect(await charges(call.requestId)).toBe(0);
  });

  test('an error of the handler leaves a doubt that a probe clears, and tells nobody anything', async () => {
    const { tether, answered } = await open();
    for (const andThen of ['fail', 'error member']) {
      const call = chargeCall({ andThen });
      const outcome = await tether.write(call);
      expect(outcome).toMatchObject({ kind: 'failed', effect: 'UNKNOWN' });
      expect(JSON.stringify([outcome, tether.logged])).not.toMatch(/10\.0\.0\.7|after all/);
      expect(await charges(call.requestId)).toBe(0);
      expect(await tether.probe(probeCall({ ...call, attempt: 1 }))).toMatchObject({ disposition: 'NOT_EXECUTED' });
    }
    const read = await tether.read(readCall({ tool: 'fail_to_look' }));
    expect(read).toMatchObject({ kind: 'failed', error: { code: 'TOOL_UNAVAILABLE' } });
    expect(JSON.stringify([read, tether.logged])).not.toContain('10.0.0.7');
    expect(answered.filter(({ outcome }) => outcome === 'failed').map(({ error }) => String(error))).toEqual([
      'Error: connection to 10.0.0.7 refused',
      expect.stringContaining('throw refuse'),
      'Error: connection to 10.0.0.7 refused',
    ]);
  });

  test('results are sent as they are: big integers, nothing at all, and the longest that Tether takes', async () => {
    const { tether } = await open();
    expect(await tether.write(chargeCall({ andThen: 'big integer' }))).toMatchObject({
      result: '{ "order": 9007199254740993 }',
    });
    expect(await tether.write(chargeCall({ andThen: 'nothing' }))).toMatchObject({ kind: 'succeeded', result: 'null' });
    const longest = await tether.write(chargeCall({ size: 262_144 }));
    expect(longest.kind === 'succeeded' && longest.result.length).toBe(262_144);
  });

  test('a longer result is refused, and nothing is done', async () => {
    const { tether } = await open();
    const call = chargeCall({ size: 262_145 });
    expect(await tether.write(call)).toMatchObject({
      ...{ kind: 'refused', effect: 'NONE' },
      error: { code: 'result_too_large', receivedJson: '262145', limitJson: '262144' },
    });
    expect(await charges(call.requestId)).toBe(0);
    const read = await tether.read(readCall({ tool: 'large', arguments: '{"size":262145}' }));
    expect(read).toMatchObject({ kind: 'result', result: expect.stringContaining('result_too_large') });
  });

  test('a tool that is not there, or is called as what it is not, is refused', async () => {
    const { tether } = await open();
    const asRead = await tether.read(readCall({ tool: 'charge', arguments: '{"account":"asRead","amount":1}' }));
    expect(asRead).toMatchObject({ kind: 'result', result: expect.stringContaining('wrong_mode') });
    expect(await charges('asRead')).toBe(0);
    expect(await tether.write(chargeCall({}, { tool: 'look' }))).toMatchObject({
      ...{ kind: 'refused', error: { code: 'wrong_mode', acceptedJson: ['"read"'] } },
    });
    for (const tool of ['lookk', 'constructor', '__proto__']) {
      expect(await tether.write(chargeCall({}, { tool }))).toMatchObject({
        ...{ kind: 'refused', error: { code: 'unknown_tool', receivedJson: JSON.stringify(tool) } },
      });
    }
  });

  test('a probe is answered from the ledger, and "not executed" is kept', async () => {
    const { tether, answered } = await open();
    const done = chargeCall();
    const answer = await tether.write(done);
    expect(await tether.probe(probeCall({ ...done, attempt: 1 }))).toEqual({
      ...{ disposition: 'EXECUTED', refusal: null, result: answer.kind === 'succeeded' ? answer.result : '' },
    });
    const never = chargeCall();
    expect(await tether.probe(probeCall({ ...never, attempt: 2 }))).toEqual({
      ...{ disposition: 'NOT_EXECUTED', result: null, refusal: null },
    });
    for (const attempt of [1, 2]) {
      expect(await tether.write({ ...never, attempt })).toMatchObject({
        ...{ kind: 'failed', effect: 'NONE', error: { retryable: true } },
      });
    }
    expect(await charges(never.requestId)).toBe(0);
    expect(await tether.write({ ...never, attempt: 3 })).toMatchObject({ kind: 'succeeded' });
    expect(await tether.probe(probeCall({ ...done, tool: 'look', attempt: 1 }))).toMatchObject({
      disposition: 'UNKNOWN',
    });
    expect(answered.map(({ mode, outcome }) => `${mode} ${outcome}`)).toEqual([
      ...['execute result', 'probe executed', 'probe not_executed', 'execute late', 'execute late', 'execute result'],
      'probe unknown',
    ]);
    expect(tether.logged.filter(({ fault }) => fault !== undefined)).toEqual([]);
  });

  test('a probe while the write is being worked on says so', async () => {
    const gate = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const { tether } = await open({
      tools: {
        charge: {
          isWrite: true,
          async handle() {
            arrived.resolve();
            await gate.promise;
            return {};
          },
        },
      },
    });
    const call = chargeCall();
    const write = tether.write(call);
    await arrived.promise;
    expect(await tether.probe(probeCall({ ...call, attempt: 1 }))).toMatchObject({ disposition: 'IN_PROGRESS' });
    gate.resolve();
    expect(await write).toMatchObject({ kind: 'succeeded' });
  });

  test('either of two secrets lets in, and both together; any other, and none, does not', async () => {
    const [old, newer] = [newSecret(), newSecret()];
    const { served, answered } = await open({ signingSecrets: `${newer} ${old}` });
    for (const secrets of [[old], [newer], [newer, old], [newSecret(), old]])
      expect(await tetherTo(served, secrets).read(readCall({ tool: 'look' }))).toMatchObject({ kind: 'result' });
    const let_in = answered.length;
    for (const secrets of [[], [secret], [newSecret(), secret]]) {
      const stranger = tetherTo(served, secrets);
      const call = chargeCall();
      const turnedAway = { kind: 'failed', effect: 'NONE', error: { retryable: false } };
      expect(await stranger.write(call)).toMatchObject(turnedAway);
      expect(await stranger.read(readCall({ tool: 'look' }))).toMatchObject({ kind: 'failed' });
      expect(await stranger.probe(probeCall({ ...call, attempt: 1 }))).toMatchObject({ disposition: 'UNKNOWN' });
      expect(await charges(call.requestId)).toBe(0);
    }
    expect(new Set(answered.slice(let_in).map(({ outcome }) => outcome))).toEqual(new Set(['unsigned']));
    expect(await database.query('select 1 from tether_ledger where tool = $1', ['void_ticket'])).toEqual([]);
  });

  test('an endpoint that is told to asks for no signature', async () => {
    const { served } = await open({ signingSecrets: false });
    expect(await tetherTo(served, []).read(readCall({ tool: 'look' }))).toMatchObject({ kind: 'result' });
  });

  test('twenty calls of one key at once change one row, and all get the same bytes', async () => {
    const { tether } = await open();
    const call = chargeCall({}, { requestId: newKey() });
    const answers = await Promise.all(Array.from({ length: 20 }, () => tether.write(call)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ kind: 'succeeded' });
    expect(await charges(call.requestId)).toBe(1);
  });
});
