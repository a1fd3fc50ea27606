/** The gRPC of connect-node with nothing behind it: every Get is answered at once, by the same action. */
import { createServer } from 'node:http2';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { ActionService } from '../../gen/tether/v1/action_service_pb.ts';
import { announceReady } from '../children.ts';
import { answer } from './answer.ts';

const server = createServer(
  connectNodeAdapter({
    connect: false,
    grpcWeb: false,
    routes(router) {
      router.rpc(ActionService.method.get, () => answer);
    },
  }),
);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  announceReady(`127.0.0.1:${address.port}`);
});
