import { create, fromBinary, type Message, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import {
  ActionService,
  ConfirmRequestSchema,
  type ConfirmResponse,
  ConfirmResponseSchema,
  GetRequestSchema,
  type GetResponse,
  GetResponseSchema,
  StageRequestSchema,
  type StageResponse,
  StageResponseSchema,
} from '../../gen/tether/v1/action_service_pb.ts';
import { given } from '../children.ts';

// One connection, as a harness would keep it; and no retries by the library, which would hide a failure.
const client = new Client(given('BENCH_GRPC_ADDRESS'), credentials.createInsecure(), { 'grpc.enable_retries': 0 });
const agent = bearer(given('BENCH_AGENT_KEY'));
const approver = bearer(given('BENCH_APPROVER_KEY'));

export function stage(request: MessageInitShape<typeof StageRequestSchema>): Promise<StageResponse> {
  return call('Stage', StageRequestSchema, StageResponseSchema, create(StageRequestSchema, request), agent);
}

export function confirm(request: MessageInitShape<typeof ConfirmRequestSchema>): Promise<ConfirmResponse> {
  return call('Confirm', ConfirmRequestSchema, ConfirmResponseSchema, create(ConfirmRequestSchema, request), approver);
}

export function get(actionId: string): Promise<GetResponse> {
  const request = create(GetRequestSchema, { key: { case: 'actionId', value: actionId } });
  return call('Get', GetRequestSchema, GetResponseSchema, request, approver);
}

function call<I extends Message, O extends Message>(
  name: string,
  input: GenMessage<I>,
  output: GenMessage<O>,
  request: I,
  metadata: Metadata,
): Promise<O> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest<I, O>(
      `/${ActionService.typeName}/${name}`,
      (message) => Buffer.from(toBinary(input, message)),
      (bytes) => fromBinary(output, bytes),
      request,
      metadata,
      (error, answer) => (answer === undefined ? reject(error) : resolve(answer)),
    );
  });
}

function bearer(key: string): Metadata {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${key}`);
  return metadata;
}
