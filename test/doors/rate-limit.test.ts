import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Code } from '@connectrpc/connect';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createCallRate } from '../../server/doors/admission/call-rate.ts';
import { networkOf } from '../../server/doors/admission/network-of.ts';
import { createStrangers } from '../../server/doors/admission/strangers.ts';
import type { Authenticator } from '../../server/lifecycle/ports/authenticator.ts';
import { clientOf, keyOf, protocols } from './clients.ts';
import { askJson } from './json-caller.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { actionId, principalOf, threeKeys } from './scripted-lifecycle.ts';

/** So slow that no second one comes during a test. */
const one = 0.001;

async function open(options: Parameters<typeof openDoors>[0]): Promise<OpenDoors> {
  const doors = await openDoors(options);
  onTestFinished(() => doors.close(0));
  return doors;
}

describe('a credential that has made its calls', () => {
  test.each(protocols)('is refused with when to come back, and others are not, by %s', async (protocol) => {
    const doors = await open({ limits: { callsPerSecond: one } });
    const client = clientOf(protocol, doors);
    expect(await client.call('get', { key: { case: 'actionId', value: actionId } }, as('agent'))).toMatchObject({
      code: 0,
    });
    const refused = await client.call('confirm', { actionId }, as('agent'));
    expect(refused.code).toBe(Code.ResourceExhausted);
    expect(refused.details).toMatchObject([
      {
        code: 'RATE_LIMITED',
        effect: 1,
        retryable: true,
        limitJson: String(one),
        retryAfter: { seconds: expect.anything() },
      },
    ]);
    if (protocol !== 'grpc') expect(Number(refused.headers['retry-after'])).toBeGreaterThan(900);
    expect(await client.call('confirm', { actionId }, as('approver'))).toMatchObject({ code: 0 });
    client.close();
    expect(doors.script.calls.map(({ verb }) => verb)).toEqual(['get', 'confirm']);
  });

  test('is told by the JSON door with 429 and Retry-After', async () => {
    const doors = await open({ limits: { callsPerSecond: one } });
    await askJson(doors, 'GET', '/v1/tools', { as: 'agent' });
    const { status, headers, body } = await askJson(doors, 'GET', '/v1/tools', { as: 'agent' });
    expect(status).toBe(429);
    expect(body).toMatchObject({
      status: 'TooManyRequests',
      errorCode: 'RATE_LIMITED',
      effect: 'NONE',
      retryable: true,
    });
    expect(Number(headers.get('retry-after'))).toBe(Math.ceil(body.retryAfterSeconds));
  });

  test('is let in again in time, and has no more at once than a second is worth', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const rate = createCallRate(10);
    const caller = principalOf('agent');
    const made = () => {
      let calls = 0;
      for (;;) {
        try {
          rate.take(caller);
          calls += 1;
        } catch {
          return calls;
        }
      }
    };
    expect(made()).toBe(10);
    vi.advanceTimersByTime(250);
    expect(made()).toBe(2);
    vi.advanceTimersByTime(3_600_000);
    expect(made()).toBe(10);
    const elsewhere = { ...caller, tenantId: 'beta' };
    expect(() => rate.take(elsewhere)).not.toThrow();
  });
});

function as(role: string) {
  return { headers: keyOf(role) };
}

describe('who has no good credential', () => {
  /** Of every credential that is looked at. */
  let looked: string[];
  let recognised: Set<string>;
  const watched: Authenticator = {
    authenticate(credential) {
      looked.push(credential);
      return threeKeys.authenticate(credential);
    },
    recognises: (credential) => recognised.has(credential),
  };
  beforeEach(() => {
    looked = [];
    recognised = new Set();
  });

  /** From an address of this machine's own. */
  async function ask(doors: OpenDoors, key: string | undefined, localAddress = '127.0.0.1') {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const sent = request(`${doors.httpAddress}/v1/tools`, { localAddress, headers });
    sent.end();
    const [answer] = await new Promise<[import('node:http').IncomingMessage]>((resolve, reject) =>
      sent.on('response', (received) => resolve([received])).on('error', reject),
    );
    await text(answer);
    return answer.statusCode;
  }

  test('is not looked at any more, whatever he sends, while credentials in use and other addresses go on', async () => {
    const doors = await open({ authenticator: watched, limits: { failedKeysPerSecond: one } });
    expect(await ask(doors, 'guess-1')).toBe(401);
    for (const guess of ['guess-2', 'guess-3', 'key-approver']) expect(await ask(doors, guess)).toBe(429);
    expect(looked).toEqual(['guess-1']);
    recognised.add('key-agent');
    expect(await ask(doors, 'key-agent')).toBe(200);
    expect(await ask(doors, 'guess-1', '127.0.0.2')).toBe(401);
    expect(await ask(doors, 'key-approver', '127.0.0.3')).toBe(200);
    expect(doors.log.filter((line) => line.includes('keep coming from an address'))).toHaveLength(1);
  });

  test.each(protocols)('is told when to come back, by %s', async (protocol) => {
    const doors = await open({ authenticator: watched, limits: { failedKeysPerSecond: one } });
    const client = clientOf(protocol, doors);
    const guess = { headers: { authorization: 'Bearer guess' } };
    expect((await client.call('confirm', { actionId }, guess)).code).toBe(Code.Unauthenticated);
    const refused = await client.call('confirm', { actionId }, guess);
    client.close();
    expect(refused.code).toBe(Code.ResourceExhausted);
    expect(refused.details).toMatchObject([
      { code: 'RATE_LIMITED', effect: 1, retryable: true, field: 'authorization', retryAfter: expect.anything() },
    ]);
    expect(looked).toEqual(['guess']);
  });

  test('is not counted for sending none', async () => {
    const doors = await open({ authenticator: watched, limits: { failedKeysPerSecond: one } });
    for (let times = 0; times < 5; times++) expect(await ask(doors, undefined)).toBe(401);
    expect(await ask(doors, 'key-agent')).toBe(200);
  });

  describe('in time', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
    afterEach(() => void vi.useRealTimers());
    const strangers = (known: readonly string[] = []) =>
      createStrangers(10, (credential) => known.includes(credential), { warn: () => undefined });

    function failuresOf(limit: ReturnType<typeof createStrangers>, peer: string): number {
      let failures = 0;
      for (;;) {
        try {
          limit.failed(peer, limit.letTry(peer, 'guess'));
          failures += 1;
        } catch {
          return failures;
        }
      }
    }

    test('may try five seconds worth at once, and then so many a second', () => {
      const limit = strangers();
      expect(failuresOf(limit, '10.0.0.1')).toBe(50);
      vi.advanceTimersByTime(2_000);
      expect(failuresOf(limit, '10.0.0.1')).toBe(20);
      vi.advanceTimersByTime(3_600_000);
      expect(failuresOf(limit, '10.0.0.1')).toBe(50);
    });

    test('many tries at once are no more than that', () => {
      const limit = strangers();
      limit.failed('10.0.0.1', limit.letTry('10.0.0.1', 'guess'));
      let begun = 0;
      const begin = () => {
        for (;;) {
          limit.letTry('10.0.0.1', 'guess');
          begun += 1;
        }
      };
      expect(begin).toThrow(/RATE_LIMITED/);
      expect(begun).toBe(49);
    });

    test('a good credential that was tried among them is not counted', () => {
      const limit = strangers();
      limit.failed('10.0.0.1', limit.letTry('10.0.0.1', 'guess'));
      for (let times = 0; times < 200; times++) limit.passed(limit.letTry('10.0.0.1', 'new and good'));
      expect(failuresOf(limit, '10.0.0.1')).toBe(49);
    });
  });
});

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
])('the address %j counts as %j', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
