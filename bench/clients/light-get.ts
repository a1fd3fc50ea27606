/** Reads of settled actions, one after the other, through a gRPC port, by a client that costs next to nothing. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { ActionState } from '../../gen/tether/v1/action_pb.ts';
import { ActionService, GetRequestSchema, GetResponseSchema } from '../../gen/tether/v1/action_service_pb.ts';
import { given } from '../children.ts';
import { contend } from '../contender.ts';
import { lightGrpc } from './light-grpc.ts';

const requests = given('BENCH_ACTION_IDS')
  .split(' ')
  .map((value) => toBinary(GetRequestSchema, create(GetRequestSchema, { key: { case: 'actionId', value } })));
const headers = { authorization: `Bearer ${given('BENCH_APPROVER_KEY')}` };
const path = `/${ActionService.typeName}/Get`;
const get = await lightGrpc(given('BENCH_GRPC_ADDRESS'), path, headers, requests);

const lengths: number[] = [];
for (const number of requests.keys()) {
  const answer = await get(number);
  const { action } = fromBinary(GetResponseSchema, answer);
  if (action?.state !== ActionState.SUCCEEDED) throw new Error('an action is not as it was left');
  lengths.push(answer.length);
}

let next = 0;
contend(async () => {
  const number = next++ % requests.length;
  if ((await get(number)).length !== lengths[number]) throw new Error('the answer is another one');
});
