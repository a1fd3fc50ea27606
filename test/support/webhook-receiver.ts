import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** A message that came, its signature checked by the published library. */
export interface Received {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
  /** Whether the signature is good. */
  readonly genuine: boolean;
}

/** Somebody who is told by webhooks. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** What it answers from now on; 200 until it is said. A function is asked each time, and may wait. */
  answer(status: number | (() => Promise<number>)): void;
}

/** `secret`: as Standard Webhooks writes it, `whsec_…`. */
export async function startReceiver(secret: string): Promise<Receiver> {
  const received: Received[] = [];
  let answer: () => Promise<number> = async () => 200;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { headers } = request;
    received.push({
      id: String(headers['webhook-id']),
      headers,
      body: JSON.parse(body),
      genuine: isGenuine(body, headers),
    });
    const status = await answer();
    response.writeHead(status, status === 302 ? { location: 'http://127.0.0.1:1/' } : {}).end();
  });
  const isGenuine = (body: string, headers: IncomingHttpHeaders): boolean => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/told`,
    received,
    answer(status) {
      answer = typeof status === 'number' ? async () => status : status;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
