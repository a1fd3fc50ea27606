/** What a real server answered to a Get: one action, settled. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { ActionService, GetRequestSchema, GetResponseSchema } from '../../gen/tether/v1/action_service_pb.ts';
import { given } from '../children.ts';
import { lightGrpc } from '../clients/light-grpc.ts';

const [value = ''] = given('BENCH_ACTION_IDS').split(' ');
const request = create(GetRequestSchema, { key: { case: 'actionId', value } });
const get = await lightGrpc(
  given('BENCH_GRPC_ADDRESS'),
  `/${ActionService.typeName}/Get`,
  { authorization: `Bearer ${given('BENCH_APPROVER_KEY')}` },
  [toBinary(GetRequestSchema, request)],
);
export const answer = fromBinary(GetResponseSchema, await get(0));
