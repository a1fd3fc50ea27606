import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Catalog, parseCatalog } from '../../server/catalog/parse-catalog.ts';
import { createMessenger } from '../../server/dispatch/messenger.ts';
import type { Principal, Role } from '../../server/domain/principal.ts';
import type { Outbox } from '../../server/lifecycle/ports/webhooks.ts';
import { createWebhooks, type Webhooks } from '../../server/lifecycle/webhooks/create-webhooks.ts';
import { answers } from '../support/endpoint.ts';
import { type House, openHouse } from '../support/house.ts';
import { refusal } from '../support/refusal.ts';
import { type Receiver, startReceiver } from '../support/webhook-receiver.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house[Symbol.asyncDispose]());

interface Setting {
  /** Before the test ends, which does it by itself. */
  close(): Promise<void>;
  readonly tenantId: string;
  readonly receiver: Receiver;
  readonly webhooks: Webhooks;
  /** Relays all that happened until now: what runs elsewhere in the cluster may hold the end of the trail back for a moment. */
  relayAll(by?: readonly Webhooks[]): Promise<void>;
  /** The same of another replica, whose messenger can be in the way, or its outbox. */
  replica(outbox?: Partial<Outbox>): Webhooks;
  as(role: Role, over?: Partial<Principal>): Principal;
  stage(id: string, over?: Parameters<House['stage']>[1]): ReturnType<House['stage']>;
  /** Relays and delivers, and says what came: type, action's id, state. */
  told(): Promise<(readonly [type: string, action: unknown, state: unknown])[]>;
  /** `beside`: further webhooks, in YAML. */
  declare(yaml: string | null, beside?: string): void;
  /** Of the webhooks' own clock, which stands still otherwise. */
  passMs(ms: number): void;
  rows(): Promise<Record<string, unknown>[]>;
}

let tenants = 0;

/** A tenant of its own with a webhook that is told of everything, unless the YAML says otherwise. */
async function open(entry = ''): Promise<Setting> {
  const tenantId = `told-${++tenants}`;
  const receiver = await startReceiver(secret);
  let declared: Catalog;
  const declare = (yaml: string | null, beside = '') => {
    const section = `webhooks: { ops: { tenant: ${tenantId}, url: "${receiver.url}", signing_secrets: ["\${env:OPS}"] ${yaml} }${beside} }`;
    const text = `version: 1\nendpoints: {}\ntools: {}\n${yaml === null ? '' : section}`;
    const parsed = parseCatalog(text, { env: { OPS: secret }, readFile: () => '' });
    if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
    declared = parsed.catalog;
  };
  declare(entry);
  let now = 0;
  const messenger = createMessenger({
    settings: (tenant, name) =>
      declared.webhooks.find((each) => each.tenantId === tenant && each.name === name)?.settings,
  });
  const replica = (outbox: Partial<Outbox> = {}) =>
    createWebhooks({
      store: house.store.actions,
      events: house.store.events,
      outbox: { ...house.store.outbox, ...outbox },
      webhooks: { webhooks: () => declared.webhooks },
      messenger,
      clock: { monotonic: () => now },
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      deadMs: 1_000,
    });
  const webhooks = replica();
  await webhooks.relay();
  const isBehind = async () => {
    const [row] = await house.db.query<{ behind: boolean }>(
      `select exists (select from event e join webhook_cursor c on c.tenant_id = e.tenant_id
        where e.tenant_id = $1 and (e.transaction_id, e.seq) > (c.transaction_id, c.seq)) as behind`,
      [tenantId],
    );
    return row?.behind === true;
  };
  const relayAll = async (by: readonly Webhooks[] = [webhooks]) => {
    do await Promise.all(by.map(({ relay }) => relay()));
    while (await isBehind());
  };
  const as = (role: Role, over: Partial<Principal> = {}) => house.principal(role, { tenantId, ...over });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= closeAll());
  onTestFinished(close);
  return {
    close,
    ...{ tenantId, receiver, webhooks, replica, as, declare, relayAll },
    passMs(ms) {
      now += ms;
    },
    stage: (id, over) => house.stage({ ticket_id: id }, over, as('agent')),
    async told() {
      const before = receiver.received.length;
      await relayAll();
      await webhooks.deliver();
      return receiver.received
        .slice(before)
        .map(({ body: { type, data } }) => [type, data.action_id, data.state] as const)
        .toSorted((a, b) => (`${a}` < `${b}` ? -1 : 1));
    },
    rows: () =>
      house.db.query(
        'select id, topic, state, attempts, fault from webhook_delivery where tenant_id = $1 order by created_at',
        [tenantId],
      ),
  };

  async function closeAll(): Promise<void> {
    await messenger.close();
    await receiver[Symbol.asyncDispose]();
    // What is left of one test is not sent by the next.
    await house.db.query('delete from webhook_delivery where tenant_id = $1', [tenantId]);
  }
}

test('a person is told, signed, of what waits, of what ended and of what is in doubt, and never of arguments or results', async () => {
  const setting = await open();
  const { action } = await setting.stage('T-secret-argument');
  expect(await setting.told()).toEqual([['action.pending', action.id, 'PENDING']]);
  await house.confirm(action.id, {}, setting.as('approver'));
  expect(await setting.told()).toEqual([['action.settled', action.id, 'SUCCEEDED']]);

  const doubtful = await setting.stage('T-2');
  house.endpoint.answerNext(answers.reset());
  await house.confirm(doubtful.action.id, {}, setting.as('approver'));
  expect(await setting.told()).toEqual([
    ['action.needs_attention', doubtful.action.id, 'INDETERMINATE'],
    ['action.pending', doubtful.action.id, 'PENDING'],
  ]);

  for (const { id, headers, body, genuine } of setting.receiver.received) {
    expect({ genuine, type: headers['content-type'] }).toEqual({ genuine: true, type: 'application/json' });
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.stringify(body)).not.toContain('T-secret-argument');
    expect(body.data).toMatchObject({ tenant_id: setting.tenantId, tool: 'void_ticket', risk: 'normal' });
  }
});

test('only of the topics and scopes that are declared, and of nothing from before the webhook was', async () => {
  const setting = await open(', topics: [settled], scopes: [store-12]');
  const here = await setting.stage('T-1', { scope: 'store-12' });
  const there = await setting.stage('T-1', { scope: 'store-13' });
  expect(await setting.told()).toEqual([]);
  for (const { action } of [here, there])
    await house.lifecycle.reject(setting.as('approver'), { actionId: action.id, reason: 'No.' });
  expect(await setting.told()).toEqual([['action.settled', here.action.id, 'REJECTED']]);
});

test('a webhook in whose way something stands keeps no other from being told', async () => {
  const setting = await open(', topics: [pending]');
  const another = `, another: { tenant: ${setting.tenantId}, url: "http://127.0.0.1:1", topics: [pending], signing_secrets: ["\${env:OPS}"] }`;
  setting.declare(', topics: [pending]', another);
  await setting.webhooks.relay();
  const { position } = house.store.outbox;
  const hindered = setting.replica({
    position: (place) => (place.name === 'ops' ? Promise.reject(new Error('it is broken')) : position(place)),
  });
  await setting.stage('T-1');
  await expect
    .poll(async () => {
      await expect(hindered.relay()).rejects.toThrow('it is broken');
      return house.db.query('select webhook from webhook_delivery where tenant_id = $1', [setting.tenantId]);
    })
    .toEqual([{ webhook: 'another' }]);
});

test('what expires soon is told once, in time', async () => {
  const setting = await open(', topics: [expiring_soon], expiring_soon: 2m');
  const { action } = await setting.stage('T-1');
  expect(await setting.told()).toEqual([]);
  const soon = "now() + interval '1 minute'";
  await house.db.query(`update action set expires_at = ${soon}, sweep_at = ${soon} where id = $1`, [action.id]);
  expect(await setting.told()).toEqual([['action.expiring_soon', action.id, 'PENDING']]);
  expect(await setting.told()).toEqual([]);
});

test('what expires soon in its scopes is told, however much expires sooner in others', async () => {
  const setting = await open(', topics: [expiring_soon], expiring_soon: 2m, scopes: [store-12]');
  const { action } = await setting.stage('T-1', { scope: 'store-12' });
  const there = await Promise.all(
    Array.from({ length: 201 }, (_, n) => setting.stage(`T-${n}`, { scope: 'store-13' })),
  );
  const expire = (seconds: number, ids: readonly string[]) =>
    house.db.query(
      `update action set expires_at = now() + $1::float8 * interval '1 second', sweep_at = now() + $1::float8 * interval '1 second'
       where id = any($2)`,
      [seconds, ids],
    );
  const others = there.map((each) => each.action.id);
  await expire(60, others);
  await expire(90, [action.id]);
  expect(await setting.told()).toEqual([['action.expiring_soon', action.id, 'PENDING']]);
  await house.db.query('delete from action where id = any($1)', [others]);
});

test('a message that does not arrive is sent again under the same id, later and later, and is dead in the end', async () => {
  const setting = await open(', topics: [pending]');
  setting.receiver.answer(503);
  await setting.stage('T-1');
  await setting.told();
  const waits: number[] = [];
  for (;;) {
    const [row] = await house.db.query<{ id: string; state: string; wait: number }>(
      `select id, state, round(extract(epoch from next_at - now()))::int as wait from webhook_delivery where tenant_id = $1`,
      [setting.tenantId],
    );
    if (row?.state !== 'DUE') break;
    waits.push(row.wait);
    await house.db.query('update webhook_delivery set next_at = now() where id = $1', [row.id]);
    await setting.webhooks.deliver();
  }
  expect(waits).toEqual([5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400]);
  expect(setting.receiver.received).toHaveLength(11);
  expect(new Set(setting.receiver.received.map(({ id }) => id)).size).toBe(1);
  expect(await setting.rows()).toEqual([
    expect.objectContaining({ state: 'DEAD', attempts: 11, fault: 'it answered HTTP 503' }),
  ]);

  const { verbs } = setting.webhooks;
  const operator = setting.as('operator');
  const { deliveries } = await verbs.listDeliveries(operator, { states: ['DEAD'], pageSize: 0, cursor: '' });
  const [dead] = deliveries;
  if (dead === undefined) throw new Error('no dead letter is listed');
  setting.receiver.answer(204);
  await verbs.redeliver(operator, dead.id);
  await setting.webhooks.deliver();
  expect(await setting.rows()).toEqual([expect.objectContaining({ id: dead.id, state: 'DELIVERED', fault: '' })]);
  expect(await refusal(verbs.redeliver(operator, dead.id))).toMatchObject({
    code: 'DELIVERY_NOT_FOUND',
    field: 'delivery_id',
  });
  expect(
    await refusal(verbs.listDeliveries(setting.as('approver'), { states: [], pageSize: 0, cursor: '' })),
  ).toMatchObject({
    code: 'PERMISSION_DENIED',
  });
});

test('410 is for good, a redirect is not followed, and what is not declared any more is not sent', async () => {
  const setting = await open(', topics: [pending]');
  setting.receiver.answer(410);
  await setting.stage('T-1');
  await setting.told();
  setting.receiver.answer(302);
  await setting.stage('T-2');
  await setting.told();
  await setting.stage('T-3');
  await setting.relayAll();
  setting.declare(null);
  const another = await open();
  await another.webhooks.deliver();
  await another.close();
  expect((await setting.rows()).map(({ state, fault }) => [state, fault])).toEqual([
    ['DEAD', 'it answered HTTP 410'],
    ['DUE', 'it answered HTTP 302'],
    ['DEAD', 'no webhook of this name is declared any more'],
  ]);
});

test('two replicas at once keep and send each message once', async () => {
  const setting = await open(', topics: [pending]');
  const replicas = [setting.webhooks, setting.replica(), setting.replica()];
  const staged = await Promise.all(Array.from({ length: 30 }, (_, index) => setting.stage(`T-${index}`)));
  await setting.relayAll(replicas);
  await Promise.all(replicas.map(({ deliver }) => deliver()));
  const told = setting.receiver.received.map(({ body }) => body.data.action_id);
  expect(told.toSorted()).toEqual(staged.map(({ action }) => action.id).toSorted());
});

test('a receiver that does not answer keeps nobody else from being told, however much waits for it', async () => {
  const setting = await open(', topics: [pending]');
  const prompt = await startReceiver(secret);
  onTestFinished(() => prompt[Symbol.asyncDispose]());
  setting.declare(
    ', topics: [pending]',
    `, prompt: { tenant: ${setting.tenantId}, url: "${prompt.url}", signing_secrets: ["\${env:OPS}"], topics: [pending] }`,
  );
  await setting.webhooks.relay();
  const hanging = Promise.withResolvers<number>();
  setting.receiver.answer(() => hanging.promise);
  const all = Promise.withResolvers<void>();
  prompt.answer(async () => {
    if (prompt.received.length === 21) all.resolve();
    return 200;
  });
  for (let index = 0; index < 21; index++) await setting.stage(`T-${index}`);
  await setting.relayAll();
  const run = setting.webhooks.deliver();
  await all.promise;
  expect(setting.receiver.received.length).toBeLessThanOrEqual(20);
  hanging.resolve(200);
  expect(await run).toBe(42);
});

test('a run ends although more waits for a slow receiver, so that nothing that others wait for is behind it', async () => {
  const setting = await open(', topics: [pending]');
  for (let index = 0; index < 41; index++) await setting.stage(`T-${index}`);
  await setting.relayAll();
  setting.receiver.answer(async () => {
    setting.passMs(1_000);
    return 200;
  });
  expect(await setting.webhooks.deliver()).toBe(20);
  setting.receiver.answer(200);
  expect(await setting.webhooks.deliver()).toBe(21);
});

test('a message whose sender died on the way is sent again, with the same id', async () => {
  const setting = await open(', topics: [pending]');
  await setting.stage('T-1');
  await setting.relayAll();
  const arrived = Promise.withResolvers<void>();
  // It never hears the answer, as if it had been killed.
  setting.receiver.answer(() => {
    arrived.resolve();
    return new Promise(() => undefined);
  });
  const dying = setting.replica().deliver();
  await arrived.promise;
  setting.receiver.answer(200);
  expect(await setting.webhooks.deliver()).toBe(0);
  await house.db.query('update webhook_delivery set next_at = now() where tenant_id = $1', [setting.tenantId]);
  expect(await setting.webhooks.deliver()).toBe(1);
  const [first, second] = setting.receiver.received;
  expect(second?.id).toBe(first?.id);
  expect(await setting.rows()).toEqual([expect.objectContaining({ state: 'DELIVERED', attempts: 2 })]);
  await setting.close();
  await dying;
});

test('what arrived is forgotten after a day, what is dead after its retention, what is due never', async () => {
  const setting = await open(', topics: [pending]');
  await setting.stage('T-1');
  await setting.told();
  setting.receiver.answer(410);
  await setting.stage('T-2');
  await setting.told();
  await setting.stage('T-3');
  await setting.relayAll();
  expect(await setting.webhooks.prune()).toBe(0);
  await house.db.query(`update webhook_delivery set changed_at = now() - interval '25 hours' where tenant_id = $1`, [
    setting.tenantId,
  ]);
  expect(await setting.webhooks.prune()).toBe(2);
  expect((await setting.rows()).map(({ state }) => state)).toEqual(['DUE']);
});
