import { create, type DescField, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { AnySchema, DurationSchema, StructSchema, ValueSchema } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import {
  ConfirmPlanRequestSchema,
  ConfirmRequestSchema,
  GetRequestSchema,
  ListRequestSchema,
  StageRequestSchema,
  WatchRequestSchema,
} from '@tether/proto/tether/v1/action_service_pb.ts';
import { expect, test } from 'vitest';
import { faultOf } from '../../server/doors/request-faults.ts';
import { createRpcs } from '../../server/doors/rpc/rpcs.ts';
import { unknownFieldIn } from '../../server/doors/unknown-fields.ts';
import { clientOf, keyOf } from './clients.ts';
import { noAudit } from './no-audit.ts';
import { noCredentials } from './no-credentials.ts';
import { noStopVerbs } from './no-stops.ts';
import { noWebhooks } from './no-webhooks.ts';
import { doorsOfThisFile } from './open-doors.ts';
import { actionId, scriptedLifecycle } from './scripted-lifecycle.ts';

const doors = await doorsOfThisFile();

/** What a newer client might send: `bool only_if_… = 99`, set. */
const wish = new BinaryWriter().tag(99, WireType.Varint).bool(true).finish();

function within(number: number, message: Uint8Array): Uint8Array {
  return new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(message).finish();
}

/** A message with what its kind does not know; the library sends it on as it came. */
function withMore<T extends DescMessage>(type: T, message: MessageShape<T>, more: Uint8Array): MessageShape<T> {
  return fromBinary(type, Buffer.concat([toBinary(type, message), more]));
}

const confirm = create(ConfirmRequestSchema, { actionId });
const stage = create(StageRequestSchema, { tool: 't' });
const agent = { headers: keyOf('agent') };
const approver = { headers: keyOf('approver') };
type Client = ReturnType<typeof clientOf>;

const asked: Readonly<
  Record<string, readonly [(client: Client) => ReturnType<Client['call']>, field: string, RegExp]>
> = {
  'a proposal': [
    ({ call }) => call('stage', withMore(StageRequestSchema, stage, wish), agent),
    '99',
    /^tether\.v1\.StageRequest has no field 99 at this server; it has tool = 1, arguments_json = 2, .*The client is newer than this server/,
  ],
  'what lies in a proposal': [
    ({ call }) => call('stage', withMore(StageRequestSchema, stage, within(7, wish)), agent),
    '/ttl/99',
    /^google\.protobuf\.Duration, at \/ttl, has no field 99 /,
  ],
  'a confirm': [
    ({ call }) => call('confirm', withMore(ConfirmRequestSchema, confirm, wish), approver),
    '99',
    /^tether\.v1\.ConfirmRequest has no field 99 /,
  ],
  'the second entry of a plan': [
    ({ call }) => {
      const entries = [confirm, withMore(ConfirmRequestSchema, confirm, wish)];
      return call('confirmPlan', create(ConfirmPlanRequestSchema, { entries }), approver);
    },
    '/entries/1/99',
    /^tether\.v1\.ConfirmRequest, at \/entries\/1, has no field 99 /,
  ],
  'a read by what this server cannot read by': [
    ({ call }) => call('get', withMore(GetRequestSchema, create(GetRequestSchema), wish), agent),
    '99',
    /^tether\.v1\.GetRequest has no field 99 /,
  ],
  'the filter of a list': [
    ({ call }) => call('list', withMore(ListRequestSchema, create(ListRequestSchema), within(1, wish)), agent),
    '/filter/99',
    /^tether\.v1\.ActionFilter, at \/filter, has no field 99 /,
  ],
  'the filter of a watch': [
    ({ call }) => call('watch', withMore(WatchRequestSchema, create(WatchRequestSchema), within(1, wish)), agent),
    '/filter/99',
    /^tether\.v1\.ActionFilter, at \/filter, has no field 99 /,
  ],
};

const binary = ['grpc', 'connect+proto', 'grpc-web'] as const;

test.each(binary.flatMap((protocol) => Object.keys(asked).map((what) => [protocol, what] as const)))(
  'by %s, a field that this server does not know is refused in %s, and nothing is done',
  async (protocol, what) => {
    const client = clientOf(protocol, doors);
    const [ask, field, message] = asked[what] ?? [];
    const seen = await ask?.(client);
    client.close();
    expect(seen?.code).toBe(Code.InvalidArgument);
    expect(seen?.details).toMatchObject([
      { code: 'INVALID_REQUEST', effect: 1, retryable: false, field, message: expect.stringMatching(message ?? '') },
    ]);
    expect(doors.script.calls).toEqual([]);
  },
);

test('it is refused in a read by GET too', async () => {
  const bytes = Buffer.concat([toBinary(GetRequestSchema, create(GetRequestSchema)), wish]);
  const query = new URLSearchParams({
    connect: 'v1',
    encoding: 'proto',
    base64: '1',
    message: bytes.toString('base64'),
  });
  const url = `${doors.httpAddress}/tether.v1.ActionService/Get?${query}`;
  const response = await fetch(url, { headers: keyOf('agent') });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ message: expect.stringContaining('GetRequest has no field 99') });
  expect(doors.script.calls).toEqual([]);
});

test.each(binary)('what a request says twice counts once, as everywhere in protobuf, by %s', async (protocol) => {
  const client = clientOf(protocol, doors);
  const twice = withMore(
    StageRequestSchema,
    stage,
    toBinary(StageRequestSchema, create(StageRequestSchema, { tool: 'u' })),
  );
  const seen = await client.call('stage', twice, agent);
  client.close();
  expect(seen.code).toBe(0);
  expect(doors.script.calls).toMatchObject([{ input: { tool: 'u' } }]);
});

/** Lists, maps and oneofs within each other, as no request has them so far: `{"a": [null, <here>]}`. */
const deep = within(
  1,
  Buffer.concat([
    within(1, Buffer.from('a')),
    within(
      2,
      within(
        6,
        Buffer.concat([within(1, new BinaryWriter().tag(1, WireType.Varint).int32(0).finish()), within(1, wish)]),
      ),
    ),
  ]),
);

test('it is found in a message of a list of a oneof of a map', () => {
  expect(unknownFieldIn(StructSchema, fromBinary(StructSchema, deep))?.detail).toMatchObject({
    field: '/fields/a/list_value/values/1/99',
    message: expect.stringMatching(/^google\.protobuf\.Value, at \/fields\/a\/list_value\/values\/1, has no field 99 /),
  });
  expect(unknownFieldIn(ValueSchema, fromBinary(ValueSchema, within(6, Buffer.alloc(0))))).toBeUndefined();
});

test('what is packed in an Any is its reader’s to judge', () => {
  const any = create(AnySchema, { typeUrl: 'type.googleapis.com/google.protobuf.Duration', value: wish });
  expect(unknownFieldIn(AnySchema, any)).toBeUndefined();
  expect(unknownFieldIn(DurationSchema, fromBinary(DurationSchema, wish))).toBeDefined();
});

/** Every field of a request, at any depth, that takes a word. */
function wordsIn(type: DescMessage): readonly DescField[] {
  return type.fields.flatMap((field) => {
    if (field.enum !== undefined) return [field];
    return field.message === undefined ? [] : wordsIn(field.message);
  });
}

test('a word that this server does not know is refused in every field that takes one', () => {
  const verbs = { lifecycle: scriptedLifecycle(), credentials: noCredentials, stops: noStopVerbs };
  const rpcs = createRpcs({ ...verbs, audit: noAudit, webhooks: noWebhooks });
  const fields = rpcs.flatMap(({ method }) => wordsIn(method.input));
  expect(fields.length).toBeGreaterThan(5);
  for (const { parent, name, number, fieldKind } of fields) {
    const writer = new BinaryWriter().tag(number, WireType.Varint).int32(99);
    const fault = faultOf(parent, fromBinary(parent, writer.finish()));
    const place = fieldKind === 'list' ? `/${name}/0` : name;
    expect(fault?.detail, `${parent.typeName}.${name}`).toMatchObject({ field: place, receivedJson: '99' });
  }
});
