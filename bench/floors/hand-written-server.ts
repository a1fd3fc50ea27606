/** The hand-written steps behind two routes of node:http, which is as little as a server can be. It believes its callers. */
import { createServer, type IncomingMessage } from 'node:http';
import { announceReady } from '../children.ts';
import { confirm, read, stage } from './same-record.ts';

const server = createServer((request, response) => {
  answer(request).then(
    (text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});

async function answer(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
  if (typeof body !== 'object' || body === null) throw new TypeError('the body is no object');
  if (request.url === '/stage' && 'arguments' in body)
    return JSON.stringify({ id: await stage(JSON.stringify(body.arguments)) });
  if (request.url === '/confirm' && 'id' in body) {
    const id = String(body.id);
    return JSON.stringify({ status: 'executed', result: await confirm(id, await read(id)) });
  }
  throw new Error(`there is no ${request.url}`);
}

server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  announceReady(`http://127.0.0.1:${address.port}`);
});
