/** One call over one of the doors by the plainest of clients, and every byte of its answer that is not a time or an id of the request. */
import type { DescMethod, JsonObject } from '@bufbuild/protobuf';
import { fromBinary, fromJson, toBinary, toJsonString } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';

export const doors = ['grpc', 'connect', 'json'] as const;
export type Door = (typeof doors)[number];

export interface Asked {
  readonly method: DescMethod;
  readonly request: JsonObject;
  /** The same on the JSON door. */
  readonly json: JsonCall;
}

export interface JsonCall {
  readonly verb: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

export interface Answer {
  /** `OK`, or the code of the error that the call was refused with; of a stream, also one within. */
  readonly code: string;
  readonly text: string;
}

export interface Asker {
  /** `authorization` undefined: no such header. */
  ask(door: Door, asked: Asked, authorization: string | undefined): Promise<Answer>;
  close(): void;
}

export function createAsker(at: { readonly grpcAddress: string; readonly httpUrl: string }): Asker {
  const client = new Client(at.grpcAddress, credentials.createInsecure(), {
    'grpc.enable_retries': 0,
    'grpc.max_receive_message_length': -1,
  });
  return {
    ask: (door, asked, authorization) =>
      door === 'grpc'
        ? overGrpc(client, asked, authorization)
        : overHttp(door === 'connect' ? connectCall(at.httpUrl, asked) : jsonCall(at.httpUrl, asked), authorization),
    close: () => client.close(),
  };
}

/** A stream without an end is cut when it has told how things are. */
const complete = (text: string) => text.includes('heartbeat');
const requestId = 'matrix';

function overGrpc(client: Client, { method, request }: Asked, authorization: string | undefined): Promise<Answer> {
  const metadata = new Metadata();
  metadata.set('x-request-id', requestId);
  if (authorization !== undefined) metadata.set('authorization', authorization);
  const asIs = (bytes: Buffer) => bytes;
  const path = `/${method.parent.typeName}/${method.name}`;
  const bytes = Buffer.from(toBinary(method.input, fromJson(method.input, request)));
  return new Promise((resolve) => {
    const told: string[] = [];
    const call = client
      .makeServerStreamRequest(path, asIs, asIs, bytes, metadata)
      .on('data', (data: Buffer) => {
        told.push(toJsonString(method.output, fromBinary(method.output, data)));
        if (complete(told.at(-1) ?? '')) call.cancel();
      })
      .on('error', ({ code, details, metadata: trailers }: ServiceError) => {
        if (code === status.CANCELLED && complete(told.join())) return resolve(answerOf(told.join('\n')));
        const [detail] = trailers.get('grpc-status-details-bin');
        for (const name of ['grpc-status-details-bin', 'date']) trailers.remove(name);
        const said = JSON.stringify({ code, details, trailers: trailers.getMap() });
        resolve(answerOf([...told, said, Buffer.isBuffer(detail) ? detail.toString('latin1') : ''].join('\n')));
      })
      .on('end', () => resolve(answerOf(told.join('\n'))));
  });
}

interface HttpCall {
  readonly url: string;
  readonly verb: string;
  readonly type: string | undefined;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

function connectCall(base: string, { method, request }: Asked): HttpCall {
  const url = `${base}/${method.parent.typeName}/${method.name}`;
  const body = JSON.stringify(request);
  if (method.methodKind === 'unary') return { url, verb: 'POST', type: 'application/json', body };
  return { url, verb: 'POST', type: 'application/connect+json', body: enveloped(body) };
}

function jsonCall(base: string, { json: { verb, path, body } }: Asked): HttpCall {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return { url: `${base}${path}`, verb, type: text && 'application/json', body: text };
}

/** As Connect frames the messages of a stream: a byte of flags, four of length. */
function enveloped(body: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(body);
  const framed = new Uint8Array(5 + bytes.length);
  new DataView(framed.buffer).setUint32(1, bytes.length);
  framed.set(bytes, 5);
  return framed;
}

async function overHttp({ url, verb, type, body }: HttpCall, authorization: string | undefined): Promise<Answer> {
  const response = await fetch(url, {
    method: verb,
    body,
    headers: {
      'x-request-id': requestId,
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(authorization === undefined ? {} : { authorization }),
    },
  });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (complete(text)) break;
  }
  const headers = [...response.headers].filter(([name]) => !['date', 'keep-alive', 'content-length'].includes(name));
  return answerOf(`${response.status} ${JSON.stringify(headers)}\n${readable(text)}`);
}

/** The bytes of Connect's details as they are, since what stands in them has no place of its own in base64. */
function readable(text: string): string {
  return text.replace(
    /("value":")([\w+/-]{20,}=*)"/g,
    (_, before, value) => `${before}${Buffer.from(value, 'base64').toString('latin1')}"`,
  );
}

/** Each door writes an ActionableError in its own form, and its code is the same in all of them. */
const refusal = /\b(UNAUTHENTICATED|PERMISSION_DENIED|INVALID_REQUEST|[A-Z]+_NOT_FOUND)\b/;

function answerOf(text: string): Answer {
  const [refused] = refusal.exec(text) ?? [];
  if (refused !== undefined) return { code: refused, text };
  return { code: /^(\{"code":\d|[45]\d\d )/.test(text) ? `another error: ${text}` : 'OK', text };
}
