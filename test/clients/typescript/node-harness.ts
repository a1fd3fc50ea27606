/** The harness on Node: `node node-harness.ts connect` or `grpc`. */
import { createTetherClient } from '@tether/client';
import { grpcTransport } from '@tether/client/node';
import { playHarness } from './harness.ts';

const key = process.env.HARNESS_AGENT_KEY ?? '';
const client =
  process.argv[2] === 'grpc'
    ? createTetherClient({ transport: grpcTransport({ url: `http://${process.env.HARNESS_GRPC_ADDRESS}` }), key })
    : createTetherClient({ url: process.env.HARNESS_HTTP_URL ?? '', key });

await playHarness(client, console.log);
