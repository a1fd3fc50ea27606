import type { Message } from '@bufbuild/protobuf';
import { Metadata, type ServerInterceptingCallInterface, status as statuses } from '@grpc/grpc-js';
import type { UnaryRpc } from '../rpc/rpc.ts';
import type { Admitted } from './admitted.ts';
import { type Bytes, headersOf, serializeOnce, statusOfFailure } from './grpc-call.ts';

const ok = { code: statuses.OK, details: 'OK', metadata: new Metadata() };

/** Answers a call of an RPC with one answer: all of it at once, so that it goes out together. */
export function answerOnce(
  rpc: UnaryRpc,
  grpcCall: ServerInterceptingCallInterface,
  request: Message,
  admitted: Admitted,
): void {
  const { call, pipeline, ended } = admitted;
  answerOf(rpc, request, admitted).then(
    (bytes) => {
      ended();
      grpcCall.sendMetadata(headersOf(call));
      grpcCall.sendMessage(bytes, () => undefined);
      grpcCall.sendStatus(ok);
    },
    (thrown: unknown) => {
      ended();
      grpcCall.sendStatus(statusOfFailure(pipeline.fail(rpc, call, thrown, 'after'), call));
    },
  );
}

async function answerOf(rpc: UnaryRpc, request: Message, { call, principal, pipeline }: Admitted): Promise<Bytes> {
  return serializeOnce(rpc, await pipeline.run(rpc, principal, request, call));
}
