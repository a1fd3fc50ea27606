/** A collector that takes traces by OTLP over HTTP, in JSON; what it takes in protobuf it keeps as bytes. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly name: string;
  /** OTLP's numbers: 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2: it failed. */
  readonly status: number;
  /** Of whoever sent it. */
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }[];
  /** Waits for a span that fits. */
  span(fits: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan>;
  close(): Promise<void>;
}

type Values = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

export async function startReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    requests.push({ path: request.url ?? '', headers: request.headers, body });
    if (request.headers['content-type'] === 'application/json') spans.push(...spansIn(JSON.parse(body.toString())));
    for (const look of waiting) look();
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    span: (fits) =>
      new Promise((resolve) => {
        const look = () => {
          const found = spans.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Values };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly name: string;
        readonly kind: number;
        readonly attributes: Values;
        readonly status?: { readonly code?: number };
      }[];
    }[];
  }[];
}

function spansIn({ resourceSpans }: Sent): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ parentSpanId = '', attributes, status, ...rest }) => ({
        ...rest,
        parentSpanId,
        attributes: valuesOf(attributes),
        status: status?.code ?? 0,
        resource: valuesOf(resource.attributes),
      })),
    ),
  );
}

function valuesOf(values: Values): Record<string, unknown> {
  return Object.fromEntries(values.map(({ key, value }) => [key, Object.values(value)[0]]));
}
