/** Reads of one settled action through the gRPC door. */
import { ActionState } from '../../gen/tether/v1/action_pb.ts';
import { contend } from '../contender.ts';
import { newArguments, tool } from '../wish.ts';
import { confirm, get, stage } from './grpc-calls.ts';

const { action: staged } = await stage({ tool, argumentsJson: newArguments(), userId: 'u_7', scope: 'store-12' });
if (staged === undefined) throw new Error('nothing was staged');
const { id } = staged;
await confirm({ actionId: id, expectedAttempts: 0 });

contend(async () => {
  const { action } = await get(id);
  if (action?.state !== ActionState.SUCCEEDED) throw new Error('the action is not as it was left');
});
