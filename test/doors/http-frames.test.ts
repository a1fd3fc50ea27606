import { gzipSync } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { StageRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { type ActionableError, ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { keyOf } from './clients.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';
import { announced, detailIn, framed } from './raw-grpc.ts';

let doors: OpenDoors;
beforeAll(async () => {
  doors = await openDoors();
});
beforeEach(() => {
  doors.script.calls.length = 0;
  doors.log.length = 0;
});
afterAll(() => doors.close(1000));

const request = toBinary(StageRequestSchema, create(StageRequestSchema, { tool: 't' }));
const whole = framed(request);
const packed = gzipSync(request);

/** What both of them send in frames: how they say what they say, and where they say what came of it. */
const ways = {
  'gRPC-Web': {
    path: '/tether.v1.ActionService/Stage',
    type: 'application/grpc-web+proto',
    encoding: 'grpc-encoding',
    timeout: 'grpc-timeout',
    detail: (answer: string) => detailIn(/grpc-status-details-bin: (\S+)/.exec(answer)?.[1]),
  },
  'Connect, to a stream,': {
    path: '/tether.v1.ActionService/ConfirmPlan',
    type: 'application/connect+proto',
    encoding: 'connect-content-encoding',
    timeout: 'connect-timeout-ms',
    detail(answer: string): ActionableError | undefined {
      const [, value] = /"value":"([^"]+)"/.exec(answer) ?? [];
      return value === undefined ? undefined : fromBinary(ActionableErrorSchema, Buffer.from(value, 'base64'));
    },
  },
} as const;

interface Sent {
  readonly bytes: Buffer;
  readonly encoding?: string;
  readonly timeout?: string;
  /** Where the protocol asks for another than INVALID_ARGUMENT. */
  readonly status?: Code;
  readonly says: RegExp;
}

const atMost = /^A request may have at most 1048576 bytes\. This one is larger/;
const sent: Readonly<Record<string, Sent>> = {
  'a message that says it is far too large': { bytes: announced(50_000_000), says: atMost },
  'a message that unpacks far beyond the limit': {
    bytes: framed(gzipSync(Buffer.alloc(50_000_000)), true),
    encoding: 'gzip',
    says: atMost,
  },
  'a packed message that is damaged': {
    bytes: framed(Buffer.from('hello'), true),
    encoding: 'gzip',
    says: /decompression failed/,
  },
  'a message that says it is packed, and not how': { bytes: framed(packed, true), says: /do not parse/ },
  'a way of packing that is not known': {
    bytes: framed(packed, true),
    encoding: 'zstd',
    status: Code.Unimplemented,
    says: /unknown compression "zstd".* gzip,br/,
  },
  'a timeout that is none': { bytes: whole, timeout: 'soon', says: /invalid (grpc|connect) timeout value: soon/ },
  'bytes that are no message': { bytes: framed(Buffer.from('hello')), says: /do not parse/ },
  'half a message': { bytes: whole.subarray(0, 6), says: /incomplete envelope/ },
  'no message': { bytes: Buffer.alloc(0), status: Code.Unimplemented, says: /missing input message/ },
  'two messages': {
    bytes: Buffer.concat([framed(Buffer.alloc(0)), framed(Buffer.alloc(0))]),
    status: Code.Unimplemented,
    says: /received extra input message/,
  },
};

const both = ['gRPC-Web', 'Connect, to a stream,'] as const;

test.each(both.flatMap((way) => Object.keys(sent).map((what) => [way, what] as const)))(
  'by %s %s is refused with why, and nothing is done',
  async (way, what) => {
    const { path, type, detail, ...headerOf } = ways[way];
    const {
      bytes,
      encoding,
      timeout,
      status = Code.InvalidArgument,
      says,
    } = sent[what] ?? { bytes: whole, says: /^$/ };
    const headers = new Headers({ ...keyOf(path.endsWith('Plan') ? 'approver' : 'agent'), 'content-type': type });
    if (encoding !== undefined) headers.set(headerOf.encoding, encoding);
    if (timeout !== undefined) headers.set(headerOf.timeout, timeout);
    const init = { method: 'POST', headers, body: new Uint8Array(bytes) };
    const answer = await (await fetch(`${doors.httpAddress}${path}`, init)).text();
    expect(detail(answer)).toMatchObject({
      code: 'INVALID_REQUEST',
      effect: 1,
      retryable: false,
      message: expect.stringMatching(says),
    });
    expect(doors.script.calls).toEqual([]);
    const ended = doors.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'call ended');
    const name = status === Code.Unimplemented ? 'UNIMPLEMENTED' : 'INVALID_ARGUMENT';
    expect(ended).toMatchObject([{ status: name, error: 'INVALID_REQUEST' }]);
  },
);
