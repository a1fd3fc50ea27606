import type { DescMethod } from '@bufbuild/protobuf';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import { AuditService } from '@tether/proto/tether/v1/audit_service_pb.ts';
import { CredentialService } from '@tether/proto/tether/v1/credential_service_pb.ts';
import { StopService } from '@tether/proto/tether/v1/stop_service_pb.ts';
import { ToolService } from '@tether/proto/tether/v1/tool_service_pb.ts';
import { WebhookService } from '@tether/proto/tether/v1/webhook_service_pb.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Stop } from '../../server/domain/stop.ts';
import { routes } from '../../server/doors/json/routes.ts';
import type { AuditVerbs } from '../../server/lifecycle/audit/audit-verbs.ts';
import type { CredentialVerbs } from '../../server/lifecycle/credentials/credential-verbs.ts';
import type { Credential } from '../../server/lifecycle/ports/credentials.ts';
import type { Delivery } from '../../server/lifecycle/ports/webhooks.ts';
import type { StopVerbs } from '../../server/lifecycle/stops/stop-verbs.ts';
import type { WebhookVerbs } from '../../server/lifecycle/webhooks/webhook-verbs.ts';
import { askJson, type JsonAsk } from './json-caller.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { actionId } from './scripted-lifecycle.ts';

interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, { readonly content: Record<string, { readonly schema: object }> }>;
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> };
}
interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, { readonly properties?: object }> };
}

const at = new Date('2026-08-20T18:41:07Z');
const credential: Credential = {
  ...{
    id: actionId,
    tenantId: 'acme',
    role: 'agent',
    userId: 'ann',
    scopes: ['store-12'],
    name: 'till',
    prefix: 'tk_1',
  },
  ...{ createdAt: at, expiresAt: at, revokedAt: at, rotatedAt: at, previousKeyUntil: at },
};
const told = async () => ({ credential, key: 'tk_1_secret' });
const credentials: CredentialVerbs = {
  create: told,
  list: async () => ({ credentials: [credential], nextCursor: 'more' }),
  rotate: told,
  revoke: async () => credential,
};

const standing: Stop = {
  ...{ tenantId: 'acme', kind: 'TOOL', name: 'void_ticket', reason: 'Repairs.', at },
  by: { credentialId: actionId, userId: 'ann' },
};
const stops: StopVerbs = { stop: async () => standing, resume: async () => standing, list: async () => [standing] };

const audit: AuditVerbs = {
  listAdminEvents: async () => ({
    events: [
      {
        ...{
          tenantId: 'acme',
          type: 'STOPPED',
          subject: 'void_ticket',
          actor: standing.by,
          detailJson: '{"kind":"TOOL"}',
        },
        ...{ at, position: { transaction: 1n, sequence: 1n } },
      },
    ],
    nextCursor: 'more',
    more: true,
  }),
};

const delivery: Delivery = {
  ...{ id: actionId, tenantId: 'acme', webhook: 'ops', topic: 'settled', actionId, version: 2, body: '{}' },
  ...{ state: 'DEAD', attempts: 11, createdAt: at, nextAt: at, fault: 'it answered HTTP 500' },
};
const webhooks: WebhookVerbs = {
  listDeliveries: async () => ({ deliveries: [delivery], nextCursor: 'more' }),
  redeliver: async () => delivery,
};

let doors: OpenDoors;
let document: Document;
let ajv: Ajv2020;
beforeAll(async () => {
  doors = await openDoors({ credentials, stops, audit, webhooks });
  document = (await askJson(doors, 'GET', '/v1/openapi.json')).body;
  // Shut: a member that the document does not name is a fault of the document.
  const { schemas } = document.components;
  const shut = Object.entries(schemas).map(([name, schema]) => [name, { ...schema, additionalProperties: false }]);
  ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'urn:tether:door', components: { schemas: Object.fromEntries(shut) } });
});
afterAll(() => doors.close(1000));

/** The faults of a value by a schema of the document; none when it fits. */
function faults(schema: object | undefined, value: unknown): unknown {
  const text = JSON.stringify(schema ?? expect.fail('the document has no schema here'));
  const validate = ajv.compile(JSON.parse(text.replaceAll('"#/components', '"urn:tether:door#/components')));
  validate(value);
  return validate.errors ?? [];
}

test('whoever asks gets the document, without a credential', async () => {
  const { status, headers, body } = await askJson(doors, 'GET', '/v1/openapi.json');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json');
  expect(body.openapi).toBe('3.1.0');
  expect((await askJson(doors, 'POST', '/v1/openapi.json')).status).toBe(405);
});

test('every RPC that callers have has a way in, and every way a name of its own', () => {
  const reached = new Set<DescMethod>(routes.map(({ method }) => method));
  const all = [
    ...ActionService.methods,
    ...ToolService.methods,
    ...CredentialService.methods,
    ...StopService.methods,
    ...AuditService.methods,
    ...WebhookService.methods,
  ];
  expect(all.filter((method) => !reached.has(method)).map(({ name }) => name)).toEqual([]);
  const names = Object.values(document.paths).flatMap((item) => Object.values(item).map((each) => each.operationId));
  expect(names).toHaveLength(routes.length);
  expect(new Set(names).size).toBe(names.length);
});

const bodies: Readonly<Record<string, unknown>> = {
  stage: {
    tool: 'void_ticket',
    arguments: { a: 1 },
    userId: 'u',
    scope: 's',
    planId: 'p',
    requestId: 'r',
    ttlSeconds: 9,
  },
  confirm: { idempotencyKey: 'k', acknowledgeHighRisk: true, previewDigest: 'd', expectedAttempts: 1 },
  reject: { reason: 'No.' },
  amend: { arguments: { a: 1 } },
  resolve: { landed: true, result: 1, note: 'Seen.', expectedAttempts: 1, observedAt: '2026-08-20T18:41:07Z' },
  probeNow: {},
  recheck: {},
  confirmPlan: { entries: [{ actionId, acknowledgeHighRisk: true }] },
  call: { arguments: {} },
  create: { role: 'AGENT', userId: 'ann', scopes: ['store-12'], name: 'till', expiresAt: '2099-01-01T00:00:00Z' },
  rotate: { overlapSeconds: 60 },
  revoke: {},
  stop: { kind: 'TOOL', name: 'void_ticket', reason: 'Repairs.' },
  resume: { kind: 'TENANT' },
  redeliver: {},
};

test.each(routes.map((route) => [`${route.verb} ${route.path}`, route] as const))(
  '%s takes and answers what the document says, and nothing else',
  async (_, { verb, path, method, answer }) => {
    const operation = document.paths[path]?.[verb.toLowerCase()] ?? expect.fail('it is not in the document');
    const body = verb === 'POST' ? bodies[method.localName] : undefined;
    if (verb === 'POST') expect(faults(operation.requestBody?.content['application/json']?.schema, body)).toEqual([]);
    const query = path.includes('lookup') ? '?requestId=r' : '';
    const way = path.replace('{id}', actionId).replace('{name}', 'void_ticket') + query;
    const roles: readonly JsonAsk['as'][] = ['approver', 'agent', 'operator'];
    const answers = await Promise.all(roles.map((as) => askJson(doors, verb, way, { as, body })));
    const told = answers.find(({ status }) => status === 200) ?? expect.fail(JSON.stringify(answers[0]?.body));
    const content = operation.responses['200']?.content ?? {};
    const type = told.headers.get('content-type') ?? '';
    const values =
      answer === 'stream'
        ? told.text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [told.body];
    for (const value of values) expect(faults(content[type]?.schema, value)).toEqual([]);
  },
);

test('a failed call answers what the document says', async () => {
  const schema = document.paths['/v1/actions']?.post?.responses.default?.content['application/json']?.schema;
  const failures = [
    await askJson(doors, 'POST', '/v1/actions', { as: 'agent', body: { tool: 't', other: 1 } }),
    await askJson(doors, 'POST', '/v1/actions', { as: 'approver' }),
    await askJson(doors, 'GET', `/v1/actions/${actionId}`),
    await askJson(doors, 'GET', '/v1/nothing'),
  ];
  for (const { body } of failures) expect(faults(schema, body)).toEqual([]);
});
