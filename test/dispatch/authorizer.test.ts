/** Whether a confirm may go on (DESIGN §2.2 step 6): only a clear yes is one, over every transport. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ClosableAuthorizer, createAuthorizer } from '../../server/dispatch/authorizer.ts';
import { type EndpointSettings, endpointTransports } from '../../server/domain/endpoint.ts';
import { answers, type Endpoint, type EndpointOptions, startEndpoint } from '../support/endpoint.ts';
import { type Logged, settingsOf } from './calls.ts';
import { approver, observed } from './petition.ts';
import { closedPort } from './raw-server.ts';

const never = new AbortController().signal;
const unavailable = { kind: 'unavailable' };

type Asked = Pick<ClosableAuthorizer, 'authorize'> & { readonly logged: Logged };

function authorizerAt(settings: () => EndpointSettings | undefined): Asked {
  const logged: Logged = [];
  const authorizer = createAuthorizer({ settings, log: { warn: (fields) => logged.push({ ...fields }) } });
  onTestFinished(() => authorizer.close());
  return { authorize: authorizer.authorize, logged };
}

async function serve(options: EndpointOptions): Promise<{ endpoint: Endpoint; authorizer: Asked }> {
  const endpoint = await startEndpoint(options);
  onTestFinished(() => endpoint.close());
  return { endpoint, authorizer: authorizerAt(() => endpoint.authorizerSettings) };
}

test('without one, everybody may', async () => {
  expect(await authorizerAt(() => undefined).authorize(observed, approver, never)).toEqual({ kind: 'allowed' });
});

describe.each(endpointTransports)('over %s', (transport) => {
  test('it is told which action, as it stands, and who confirms', async () => {
    const { endpoint, authorizer } = await serve({ transport, settings: { bearerToken: 'shared' } });
    expect(await authorizer.authorize(observed, approver, never)).toEqual({ kind: 'allowed' });
    expect(endpoint.petitions).toMatchObject([
      {
        action: {
          id: '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33',
          tenantId: 'acme',
          tool: 'void_ticket',
          argumentsJson: observed.action.arguments,
          summary: 'Void ticket T-4417\\u202e',
          previewDigest: observed.action.previewDigest,
          proposedBy: { credentialId: 'cred-agent', userId: 'harness' },
        },
        approver: { credentialId: 'cred-b', userId: 'bob' },
        headers: { authorization: 'Bearer shared' },
      },
    ]);
    expect(endpoint.calls).toEqual([]);
    expect(authorizer.logged).toEqual([]);
  });

  test('a no is passed on, with its reason if it has one', async () => {
    const { endpoint, authorizer } = await serve({ transport });
    const reason = { code: 'over_limit', message: 'Bob may void up to 50.', field: 'amount_usd', limitJson: '50' };
    endpoint.answerPetition(answers.denied(reason));
    expect(await authorizer.authorize(observed, approver, never)).toMatchObject({ kind: 'denied', reason });
    endpoint.answerPetition(answers.denied());
    expect(await authorizer.authorize(observed, approver, never)).toEqual({ kind: 'denied', reason: null });
    expect(authorizer.logged).toEqual([]);
  });

  test('silence ends when its time is up, and allows nothing', async () => {
    const { endpoint, authorizer } = await serve({ transport, settings: { timeoutMs: 100 } });
    endpoint.answerPetition(answers.silence());
    expect(await authorizer.authorize(observed, approver, never)).toEqual(unavailable);
    expect(endpoint.petitions).toHaveLength(1);
    expect(authorizer.logged).toMatchObject([{ action_id: observed.action.id, fault: 'lost, timeout' }]);
  });

  test('a dropped connection allows nothing, and nothing is asked again', async () => {
    const { endpoint, authorizer } = await serve({ transport });
    endpoint.answerPetition(answers.reset());
    expect(await authorizer.authorize(observed, approver, never)).toEqual(unavailable);
    expect(endpoint.petitions).toHaveLength(1);
  });

  test('one that cannot be reached allows nothing', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const authorizer = authorizerAt(() => settingsOf(url, { transport }));
    expect(await authorizer.authorize(observed, approver, never)).toEqual(unavailable);
    expect(JSON.stringify(authorizer.logged)).toContain('ECONNREFUSED');
  });

  test('an answer over the cap allows nothing', async () => {
    const { endpoint, authorizer } = await serve({ transport, settings: { maxResponseBytes: 1_000 } });
    endpoint.answerPetition(answers.denied({ code: 'x', message: 'x'.repeat(3_000) }));
    expect(await authorizer.authorize(observed, approver, never)).toEqual(unavailable);
  });

  test('a caller who leaves ends it', async () => {
    const { endpoint, authorizer } = await serve({ transport });
    const arrived = Promise.withResolvers<void>();
    endpoint.answerPetition(() => {
      arrived.resolve();
      return answers.silence();
    });
    const leaving = new AbortController();
    const asked = authorizer.authorize(observed, approver, leaving.signal);
    await arrived.promise;
    leaving.abort();
    expect(await asked).toEqual(unavailable);
    expect(await authorizer.authorize(observed, approver, leaving.signal)).toEqual(unavailable);
    expect(endpoint.petitions).toHaveLength(1);
  });

  test('no more are asked at a time than it takes', async () => {
    const { endpoint, authorizer } = await serve({ transport, settings: { maxConcurrent: 2 } });
    let now = 0;
    let most = 0;
    endpoint.answerPetition(async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return answers.allowed();
    });
    const asked = await Promise.all(
      Array.from({ length: 12 }, () => authorizer.authorize(observed, approver, AbortSignal.timeout(10_000))),
    );
    expect(asked).toEqual(Array.from({ length: 12 }, () => ({ kind: 'allowed' })));
    expect(most).toBeLessThanOrEqual(2);
  });

  test('settings are those of the moment of the question', async () => {
    const first = await startEndpoint({ transport });
    onTestFinished(() => first.close());
    let settings: EndpointSettings | undefined = first.authorizerSettings;
    const authorizer = authorizerAt(() => settings);
    first.answerPetition(answers.denied());
    expect(await authorizer.authorize(observed, approver, never)).toMatchObject({ kind: 'denied' });
    settings = { ...settings, bearerToken: 'rotated' };
    await authorizer.authorize(observed, approver, never);
    settings = undefined;
    expect(await authorizer.authorize(observed, approver, never)).toEqual({ kind: 'allowed' });
    expect(first.petitions.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer rotated']);
  });
});

describe('what is no clear yes allows nothing', () => {
  test.each([
    '',
    'true',
    '{}',
    '[]',
    '"allowed"',
    '{"allowed":"yes"}',
    '{"allowed":"true"}',
    '{"allowed":1}',
    '{"allowed":null}',
    '{"allow":true}',
    '{"result":{"allowed":true}}',
    '{"allowed":true',
    '{"allowed":true} {}',
    '{"allowed":false,"allowed":true}',
    '<html>allowed: true</html>',
  ])('over json: %s', async (body) => {
    const { endpoint, authorizer } = await serve({});
    endpoint.answerPetition(answers.http(200, body));
    expect(await authorizer.authorize(observed, approver, never)).toEqual(unavailable);
    expect(authorizer.logged).toHaveLength(1);
  });

  test.each(['json', 'connect'] as const)('over %s: any status but a success', async (transport) => {
    const { endpoint, authorizer } = await serve({ transport });
    const statuses = [301, 302, 307, 308, 400, 401, 403, 404, 409, 429, 500, 502, 503];
    for (const status of statuses) {
      endpoint.answerPetition(answers.http(status, '{"allowed":true}', { location: endpoint.authorizerSettings.url }));
      expect(await authorizer.authorize(observed, approver, never)).toEqual(unavailable);
    }
    expect(endpoint.petitions).toHaveLength(statuses.length);
  });

  test.each(['connect', 'grpc'] as const)('over %s: any status', async (transport) => {
    const { endpoint, authorizer } = await serve({ transport });
    for (const code of ['PERMISSION_DENIED', 'UNAUTHENTICATED', 'UNIMPLEMENTED', 'UNAVAILABLE', 'INTERNAL'] as const) {
      endpoint.answerPetition(answers.status(code, 'at db.internal', { code: 'secret', message: 'secret' }));
      expect(await authorizer.authorize(observed, approver, never)).toEqual(unavailable);
    }
    expect(JSON.stringify(authorizer.logged)).not.toMatch(/secret|internal/);
  });

  test.each(['connect', 'grpc'] as const)('over %s: an empty message is a no', async (transport) => {
    const { endpoint, authorizer } = await serve({ transport });
    endpoint.answerPetition({ kind: 'empty' });
    expect(await authorizer.authorize(observed, approver, never)).toEqual({ kind: 'denied', reason: null });
  });
});

describe('over json', () => {
  test.each([
    [200, '{"allowed":false,"reason":"Only managers may void."}'],
    [401, '{"allowed":false,"reason":"Only managers may void."}'],
    [403, '{"reason":{"error":"Only managers may void."},"allowed":false}'],
    [403, '{"allowed":false,"reason":{"error":{"message":"Only managers may void."}}}'],
  ])('HTTP %i may say no, and why in a sentence: %s', async (status, body) => {
    const { endpoint, authorizer } = await serve({});
    endpoint.answerPetition(answers.http(status, body));
    expect(await authorizer.authorize(observed, approver, never)).toMatchObject({
      ...{ kind: 'denied', reason: { message: 'Only managers may void.' } },
    });
  });

  test.each([400, 404, 500, 503])('HTTP %i passes nothing on, a no neither', async (status) => {
    const { endpoint, authorizer } = await serve({});
    endpoint.answerPetition(answers.http(status, '{"allowed":false,"reason":"at db.internal:5432"}'));
    expect(await authorizer.authorize(observed, approver, never)).toEqual(unavailable);
    expect(JSON.stringify(authorizer.logged)).not.toContain('db.internal');
  });

  test('the question is this one', async () => {
    const { endpoint, authorizer } = await serve({});
    await authorizer.authorize(observed, approver, never);
    const [petition] = endpoint.petitions;
    expect(petition?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(petition?.headers['x-tether-idempotency-key']).toBeUndefined();
    expect(petition?.body).toContain(`"arguments":${observed.action.arguments},`);
    expect(petition?.body).toContain('"value":{"amount":12345678901234567000,"threshold":50,"unit":"USD"}');
    expect(petition?.body).toContain('"precondition":{"/status":"open","/total_usd":9.50}');
    expect(JSON.parse(petition?.body ?? '')).toMatchObject({
      action: {
        id: '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33',
        tool: 'void_ticket',
        tenant_id: 'acme',
        scope: 'store-12',
        user_id: 'u_7',
        plan_id: 'plan-1',
        summary: 'Void ticket T-4417\\u202e',
        risk: 'elevated',
        reversible: 'no',
        acknowledgement_required: true,
        acknowledgement_reasons: [expect.stringContaining('elevated'), expect.stringContaining('50 USD')],
        state: 'PENDING',
        effect: 'UNKNOWN',
        version: 3,
        attempts_used: 1,
        attempts_allowed: 3,
        attempts: [
          {
            ...{ number: 1, outcome: 'FAILED', effect: 'UNKNOWN', started_at: '2026-08-20T18:41:07.123Z' },
            ...{ finished_at: '2026-08-20T18:41:09.000Z', deadline_at: '2026-08-20T18:41:27.123Z' },
          },
        ],
        needs_attention: true,
        created_at: '2026-08-20T18:40:00.000Z',
        expires_at: '2026-08-20T18:55:00.000Z',
        proposed_by: { credential_id: 'cred-agent', user_id: 'harness' },
        amended_by: { credential_id: 'cred-a', user_id: 'ann' },
        supersedes: '11111111-2222-4333-8444-555555555555',
        second_person_required: true,
      },
      approver: { credential_id: 'cred-b', user_id: 'bob' },
    });
  });

  test('what an action does not have is null there', async () => {
    const { endpoint, authorizer } = await serve({});
    const bare = {
      ...observed.action,
      value: null,
      precondition: null,
      amendedBy: null,
      supersedes: null,
      attempts: [],
    };
    await authorizer.authorize({ ...observed, action: bare }, approver, never);
    expect(JSON.parse(endpoint.petitions[0]?.body ?? '')).toMatchObject({
      action: { value: null, precondition: null, amended_by: null, supersedes: null, attempts: [] },
    });
  });
});
