/** What runs in the page: the harness, and one call that fails, by either protocol that a browser can speak. */
import { createGrpcWebTransport } from '@connectrpc/connect-web';
import { createTetherClient, type TetherClient, TetherError } from '@tether/client';
import { playHarness } from '../typescript/harness.ts';

/** Where to call, how, and with which key. */
export interface Way {
  readonly protocol: 'connect' | 'grpc-web';
  readonly url: string;
  readonly key: string;
}

function clientFor({ protocol, url, key }: Way): TetherClient {
  if (protocol === 'connect') return createTetherClient({ url, key });
  return createTetherClient({ transport: createGrpcWebTransport({ baseUrl: url }), key });
}

async function play(way: Way): Promise<string> {
  const lines: string[] = [];
  await playHarness(clientFor(way), (line) => lines.push(line));
  return lines.map((line) => `${line}\n`).join('');
}

/** What a proposal with a fault in it fails with, as far as it can be handed out of the page. */
async function fail(way: Way): Promise<unknown> {
  try {
    return await clientFor(way).stage({ tool: 'void_ticket', arguments: { ticket_id: 17 } }, { timeoutMs: 5_000 });
  } catch (error) {
    return error instanceof TetherError ? { ...error, name: error.name, message: error.message } : String(error);
  }
}

Object.assign(globalThis, { play, fail });
