/** An endpoint behind each server that the package has an adapter for, over real sockets; gone with the test. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { serve as serveFetch } from '@hono/node-server';
import type { Endpoint } from '@tether/endpoint';
import { connectFetchHandler, connectHandler } from '@tether/endpoint/connect';
import { fastifyEndpoint } from '@tether/endpoint/fastify';
import { fetchHandler } from '@tether/endpoint/fetch';
import { grpcService } from '@tether/endpoint/grpc';
import { nodeHandler } from '@tether/endpoint/node';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import type { EndpointTransport } from '../../../server/domain/endpoint.ts';

export interface Served {
  readonly url: string;
  readonly transport: EndpointTransport;
}

type Serve = (endpoint: Endpoint) => Promise<Served>;

export const servers: Readonly<Record<string, Serve>> = {
  'node:http': (endpoint) => overHttp(nodeHandler(endpoint), 'json', '/anywhere'),

  express: (endpoint) => {
    const app = express();
    app.post('/tools', nodeHandler(endpoint));
    app.use(express.json());
    return overHttp(app, 'json', '/tools');
  },

  'express that keeps the bytes': (endpoint) => {
    const app = express();
    app.post('/tools', express.raw({ type: '*/*', limit: '2mb' }), nodeHandler(endpoint));
    return overHttp(app, 'json', '/tools');
  },

  fastify: async (endpoint) => {
    const app = fastify();
    app.post('/other', async ({ body }) => ({ parsed: body }));
    await app.register(fastifyEndpoint(endpoint), { prefix: '/tools' });
    await app.listen({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => app.close());
    return { url: `${app.listeningOrigin}/tools`, transport: 'json' };
  },

  hono: (endpoint) => {
    const app = new Hono();
    const answer = fetchHandler(endpoint);
    app.post('/tools', (c) => answer(c.req.raw));
    return overFetch((request) => app.fetch(request), 'json', '/tools');
  },

  'connect over node:http': (endpoint) => overHttp(connectHandler(endpoint), 'connect', ''),

  'connect over express': (endpoint) => {
    const app = express();
    app.use('/tools', connectHandler(endpoint));
    return overHttp(app, 'connect', '/tools');
  },

  'connect over hono': (endpoint) => {
    const app = new Hono();
    const answer = connectFetchHandler(endpoint);
    app.post('/tools/*', (c) => answer(c.req.raw));
    return overFetch((request) => app.fetch(request), 'connect', '/tools');
  },

  'grpc-js': async (endpoint) => {
    const server = new Server();
    server.addService(...grpcService(endpoint));
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    onTestFinished(() => server.forceShutdown());
    return { url: `http://127.0.0.1:${port}`, transport: 'grpc' };
  },
};

export async function overHttp(listener: RequestListener, transport: EndpointTransport, path: string): Promise<Served> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${path}`, transport };
}

export function overFetch(
  fetch: (request: Request) => Response | Promise<Response>,
  transport: EndpointTransport,
  path: string,
): Promise<Served> {
  return new Promise((resolve) => {
    const server = serveFetch({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve({ url: `http://127.0.0.1:${port}${path}`, transport }),
    );
    onTestFinished(async () => {
      server.close();
    });
  });
}
