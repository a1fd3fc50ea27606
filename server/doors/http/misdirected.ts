import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DescMethod } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { CallError } from '../../domain/error.ts';
import { invalidRequest } from '../invalid-request.ts';
import { refusePlainly } from './plain-refusal.ts';

/** Answers to requests that reach no RPC, each saying what would. */

const texts = (values: readonly string[]): string[] => values.map((each) => JSON.stringify(each));

/** Where an RPC is: by its service and name. */
const rpcPath = /^\/([\w.]+)\/\w+$/;

export function nothingHere(response: ServerResponse, path: string, paths: readonly string[]): void {
  const services = new Set(paths.flatMap((each) => rpcPath.exec(each)?.slice(1) ?? []));
  const others = paths.filter((each) => !rpcPath.test(each));
  const error = invalidRequest({
    message: `There is nothing at this path. There are ${others.join(', ')}, and /<service>/<rpc> of ${[...services].join(', ')}.`,
    field: 'path',
    receivedJson: JSON.stringify(path),
    acceptedJson: texts(paths),
  });
  refusePlainly(response, 404, Code.Unimplemented, error);
}

/** An RPC that is looked for within the plain JSON door, by a client that speaks another protocol. */
export function withinPlainJson(response: ServerResponse, path: string, right: string): void {
  const error = invalidRequest({
    message: `${right} has no /v1 before it: that is where the plain JSON door begins. Leave /v1 off the URL that the client is given.`,
    field: 'path',
    receivedJson: JSON.stringify(path),
    acceptedJson: texts([right]),
  });
  refusePlainly(response, 404, Code.Unimplemented, error);
}

export function wrongMethod(response: ServerResponse, { method }: IncomingMessage, allowed: readonly string[]): void {
  response.setHeader('allow', allowed.join(', '));
  const error = invalidRequest({
    message: `This path is called by ${allowed.join(' or ')}, not by ${method}.`,
    field: 'method',
    receivedJson: JSON.stringify(method),
    acceptedJson: texts(allowed),
  });
  refusePlainly(response, 405, Code.Unimplemented, error);
}

const grpcWeb = ['application/grpc-web+proto', 'application/grpc-web+json'];
const contentTypes = {
  unary: ['application/json', 'application/proto', ...grpcWeb],
  stream: ['application/connect+json', 'application/connect+proto', ...grpcWeb],
};

export function wrongContentType(response: ServerResponse, received: string, kind: DescMethod['methodKind']): void {
  const accepted = contentTypes[kind === 'unary' ? 'unary' : 'stream'];
  const streams = kind === 'unary' ? '' : ' This call answers with a stream.';
  const grpc = /^application\/grpc($|\+)/.test(received) ? ' gRPC itself is served on a port of its own.' : '';
  const error = invalidRequest({
    message: `The content-type must be one of ${accepted.join(', ')}.${streams}${grpc}`,
    field: 'content-type',
    receivedJson: JSON.stringify(received),
    acceptedJson: texts(accepted),
  });
  refusePlainly(response, 415, Code.InvalidArgument, error);
}

export function wrongQuery(response: ServerResponse): void {
  const error = invalidRequest({
    message: 'A call by GET has its request in the query: ?encoding=json&message=<the request as JSON, URL-encoded>.',
    field: 'encoding',
    acceptedJson: texts(['json', 'proto']),
  });
  refusePlainly(response, 400, Code.InvalidArgument, error);
}

export function badHost(response: ServerResponse, { headers }: IncomingMessage): void {
  const error = invalidRequest({
    message: 'The host header names no host.',
    field: 'host',
    receivedJson: JSON.stringify(headers.host ?? ''),
  });
  refusePlainly(response, 400, Code.InvalidArgument, error);
}

export function brokenDown(response: ServerResponse, requestId: string): void {
  const error = new CallError('INTERNAL', {
    message: `Tether itself failed in this call. Say request id ${requestId} to the operator, and read with Get.`,
    effect: 'UNKNOWN',
  });
  refusePlainly(response, 500, Code.Internal, error);
}
