/** The gRPC of grpc-js with nothing behind it: every Get is answered at once, by the same action. */
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js';
import { ActionService, GetRequestSchema, GetResponseSchema } from '../../gen/tether/v1/action_service_pb.ts';
import { announceReady } from '../children.ts';
import { answer } from './answer.ts';

const get: handleUnaryCall<Buffer, Buffer> = ({ request }, respond) => {
  fromBinary(GetRequestSchema, request);
  respond(null, Buffer.from(toBinary(GetResponseSchema, answer)));
};
const asIs = (bytes: Buffer): Buffer => bytes;

const server = new Server({ 'grpc.enable_channelz': 0 });
server.register(`/${ActionService.typeName}/Get`, get, asIs, asIs, 'unary');
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  announceReady(`127.0.0.1:${port}`);
});
