/** Reads of one settled action through a gRPC port, by a client that costs next to nothing. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { ActionState } from '../../gen/tether/v1/action_pb.ts';
import { ActionService, GetRequestSchema, GetResponseSchema } from '../../gen/tether/v1/action_service_pb.ts';
import { given } from '../children.ts';
import { contend } from '../contender.ts';
import { lightGrpc } from './light-grpc.ts';

const request = create(GetRequestSchema, { key: { case: 'actionId', value: given('BENCH_ACTION_ID') } });
const headers = { authorization: `Bearer ${given('BENCH_APPROVER_KEY')}` };
const path = `/${ActionService.typeName}/Get`;
const get = await lightGrpc(given('BENCH_GRPC_ADDRESS'), path, headers, toBinary(GetRequestSchema, request));

const { action } = fromBinary(GetResponseSchema, await get());
if (action?.state !== ActionState.SUCCEEDED) throw new Error('the action is not as it was left');
const { length } = await get();

contend(async () => {
  if ((await get()).length !== length) throw new Error('the answer is another one');
});
