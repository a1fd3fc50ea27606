/** Tether through its gRPC door, called by a stock grpc-js client. */
import { ConfirmStatus } from '../../gen/tether/v1/action_service_pb.ts';
import { contend } from '../contender.ts';
import { newArguments, tool } from '../wish.ts';
import { confirm, stage } from './grpc-calls.ts';

const withKey = process.env.BENCH_CONFIRM_KEY === 'yes';

contend(async () => {
  const { action } = await stage({ tool, argumentsJson: newArguments(), userId: 'u_7', scope: 'store-12' });
  if (action === undefined) throw new Error('nothing was staged');
  const { id: actionId, previewDigest } = action;
  const idempotencyKey = withKey ? actionId : '';
  const { status } = await confirm({ actionId, previewDigest, expectedAttempts: 0, idempotencyKey });
  if (status !== ConfirmStatus.EXECUTED) throw new Error(`a confirm was of status ${status}`);
});
