import type {
  DescMethod,
  DescMethodServerStreaming,
  DescMethodUnary,
  JsonValue,
  MessageInitShape,
} from '@bufbuild/protobuf';
import { create, fromBinary, toBinary, toJson } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import { ConnectError, type Transport } from '@connectrpc/connect';
import { createAsyncIterable } from '@connectrpc/connect/protocol';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import { type ActionableError, ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { ToolService } from '@tether/proto/tether/v1/tool_service_pb.ts';
import type { OpenDoors } from './open-doors.ts';

export const protocols = ['grpc', 'connect+json', 'connect+proto', 'grpc-web'] as const;
export type Protocol = (typeof protocols)[number];

export const methods = { ...ActionService.method, ...ToolService.method };
type Methods = typeof methods;
export type Verb = keyof Methods;

/** What a caller sees of one call. */
export interface Seen {
  /** 0 when it went well. */
  readonly code: number;
  readonly message: string;
  /** The response in the contract's JSON. */
  readonly response?: JsonValue;
  /** The responses of a stream, also of one that failed in the end. */
  readonly messages?: readonly JsonValue[];
  /** The ActionableErrors among the error's details. */
  readonly details: readonly ActionableError[];
  readonly headers: Readonly<Record<string, string>>;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Told of each response of a stream as it comes. */
  readonly onMessage?: (message: JsonValue) => void;
}

/** A stock client: one call to its end, whatever comes of it. */
export type Call = <V extends Verb>(
  verb: V,
  request: MessageInitShape<Methods[V]['input']>,
  options?: CallOptions,
) => Promise<Seen>;

/** What a client's TLS rests on, and what it shows of itself; PEM. */
export interface ClientTls {
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
}

export function clientOf(
  protocol: Protocol,
  doors: OpenDoors,
  tls?: ClientTls,
): { readonly call: Call; close(): void } {
  if (protocol === 'grpc') return grpcClient(doors.grpcAddress, tls);
  const to = { baseUrl: doors.httpAddress, httpVersion: '1.1', nodeOptions: { ...tls } } as const;
  const transport =
    protocol === 'grpc-web'
      ? createGrpcWebTransport(to)
      : createConnectTransport({ ...to, useBinaryFormat: protocol === 'connect+proto' });
  return {
    call: (verb, request, options) => {
      const method: DescMethod = methods[verb];
      return isUnary(method)
        ? overConnect(transport, method, request, options)
        : streamOverConnect(transport, asStream(method), request, options);
    },
    close: () => undefined,
  };
}

export const keyOf = (role: string): Readonly<Record<string, string>> => ({ authorization: `Bearer key-${role}` });

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === 'unary';
}

function asStream(method: DescMethod): DescMethodServerStreaming {
  const streams = (each: DescMethod): each is DescMethodServerStreaming => each.methodKind === 'server_streaming';
  if (streams(method)) return method;
  throw new Error(`${method.name} does not answer with a stream`);
}

async function overConnect(
  transport: Transport,
  method: DescMethodUnary,
  request: MessageInitShape<DescMethodUnary['input']>,
  { headers, timeoutMs, signal }: CallOptions = {},
): Promise<Seen> {
  try {
    const { message, header } = await transport.unary(method, signal, timeoutMs, headers, request);
    return {
      code: 0,
      message: '',
      response: toJson(method.output, message),
      details: [],
      headers: Object.fromEntries(header),
    };
  } catch (error) {
    return seenError(error);
  }
}

async function streamOverConnect(
  transport: Transport,
  method: DescMethodServerStreaming,
  request: MessageInitShape<DescMethodServerStreaming['input']>,
  { headers, timeoutMs, signal, onMessage }: CallOptions = {},
): Promise<Seen> {
  const messages: JsonValue[] = [];
  let header = {};
  try {
    const stream = await transport.stream(method, signal, timeoutMs, headers, createAsyncIterable([request]));
    header = Object.fromEntries(stream.header);
    for await (const message of stream.message) {
      messages.push(toJson(method.output, message));
      onMessage?.(toJson(method.output, message));
    }
    return { code: 0, message: '', messages, details: [], headers: header };
  } catch (error) {
    const seenEnd = seenError(error);
    return { ...seenEnd, headers: { ...header, ...seenEnd.headers }, messages };
  }
}

function seenError(error: unknown): Seen {
  if (!(error instanceof ConnectError)) throw error;
  const { code, rawMessage, metadata } = error;
  const details = error.findDetails(ActionableErrorSchema);
  return { code, message: rawMessage, details, headers: Object.fromEntries(metadata) };
}

/** A generic grpc-js client that knows paths and bytes, no generated stubs. */
function grpcClient(address: string, tls?: ClientTls): { readonly call: Call; close(): void } {
  const pem = (text: string | undefined) => (text === undefined ? null : Buffer.from(text));
  const trusting = tls && credentials.createSsl(pem(tls.ca), pem(tls.key), pem(tls.cert));
  const client = new Client(address, trusting ?? credentials.createInsecure(), {
    'grpc.enable_retries': 0,
    'grpc.max_receive_message_length': -1,
  });
  const asIs = (message: Buffer) => message;
  const call: Call = (verb, request, { headers = {}, timeoutMs, signal, onMessage } = {}) => {
    const method: DescMethod = methods[verb];
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const options = { deadline: timeoutMs === undefined ? undefined : new Date(Date.now() + timeoutMs) };
    const path = `/${method.parent.typeName}/${method.name}`;
    const bytes = Buffer.from(toBinary(method.input, create(method.input, request)));
    return new Promise((resolve) => {
      let initial = new Metadata();
      const messages: JsonValue[] = [];
      const unary = () =>
        client.makeUnaryRequest(path, asIs, asIs, bytes, metadata, options, (error, answer) =>
          resolve(seen(error, answer, method, initial)),
        );
      const stream = () =>
        client
          .makeServerStreamRequest(path, asIs, asIs, bytes, metadata, options)
          .on('data', (data: Buffer) => {
            messages.push(toJson(method.output, fromBinary(method.output, data)));
            onMessage?.(toJson(method.output, fromBinary(method.output, data)));
          })
          .on('end', () => resolve({ code: 0, message: '', details: [], headers: plain(initial), messages }))
          .on('error', (error: ServiceError) => resolve({ ...seen(error, undefined, method, initial), messages }));
      const sent = method.methodKind === 'unary' ? unary() : stream();
      sent.on('metadata', (received: Metadata) => {
        initial = received;
      });
      signal?.addEventListener('abort', () => sent.cancel(), { once: true });
    });
  };
  return { call, close: () => client.close() };
}

function plain(metadata: Metadata): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(metadata.getMap()).map(([name, value]) => [name, String(value)]));
}

function seen(error: ServiceError | null, bytes: Buffer | undefined, method: DescMethod, initial: Metadata): Seen {
  const headers = plain(initial);
  if (error === null && bytes !== undefined)
    return {
      code: 0,
      message: '',
      response: toJson(method.output, fromBinary(method.output, bytes)),
      details: [],
      headers,
    };
  const trailers = error?.metadata.getMap() ?? {};
  const [status] = error?.metadata.get('grpc-status-details-bin') ?? [];
  const details = Buffer.isBuffer(status) ? detailsOf(status, error?.code ?? -1) : [];
  const requestId = trailers['x-request-id'];
  return {
    code: error?.code ?? -1,
    message: error?.details ?? '',
    details,
    headers: requestId === undefined ? headers : { ...headers, 'x-request-id': String(requestId) },
  };
}

/** Reads a google.rpc.Status by its published field numbers: code = 1, message = 2, details = 3 (google.protobuf.Any). */
function detailsOf(bytes: Buffer, expectedCode: number): ActionableError[] {
  const reader = new BinaryReader(bytes);
  const details: ActionableError[] = [];
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1 && reader.int32() !== expectedCode)
      throw new Error('the details carry another code than the status');
    else if (number === 3) {
      const any = fromBinary(AnySchema, reader.bytes());
      if (any.typeUrl !== 'type.googleapis.com/tether.v1.ActionableError')
        throw new Error(`a detail of type ${any.typeUrl}`);
      details.push(fromBinary(ActionableErrorSchema, any.value));
    } else if (number === 2) reader.string();
    else if (wireType === WireType.LengthDelimited && number > 3) reader.skip(wireType);
  }
  return details;
}
