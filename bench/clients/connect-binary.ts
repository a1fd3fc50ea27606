/** Tether through its HTTP door with Connect's binary form. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  ConfirmRequestSchema,
  ConfirmResponseSchema,
  ConfirmStatus,
  StageRequestSchema,
  StageResponseSchema,
} from '../../gen/tether/v1/action_service_pb.ts';
import { given } from '../children.ts';
import { contend } from '../contender.ts';
import { newArguments, tool } from '../wish.ts';
import { post } from './post.ts';

const agent = headers(given('BENCH_AGENT_KEY'));
const approver = headers(given('BENCH_APPROVER_KEY'));

function headers(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/proto', 'connect-protocol-version': '1' };
}

contend(async () => {
  const stage = create(StageRequestSchema, { tool, argumentsJson: newArguments(), userId: 'u_7', scope: 'store-12' });
  const staged = await post('/tether.v1.ActionService/Stage', agent, toBinary(StageRequestSchema, stage));
  const { action } = fromBinary(StageResponseSchema, staged);
  if (action === undefined) throw new Error('nothing was staged');
  const { id: actionId, previewDigest } = action;
  const confirm = create(ConfirmRequestSchema, { actionId, previewDigest, expectedAttempts: 0 });
  const confirmed = await post('/tether.v1.ActionService/Confirm', approver, toBinary(ConfirmRequestSchema, confirm));
  const { status } = fromBinary(ConfirmResponseSchema, confirmed);
  if (status !== ConfirmStatus.EXECUTED) throw new Error(`a confirm was of status ${status}`);
});
