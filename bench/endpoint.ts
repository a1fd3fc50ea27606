/**
 * A vendor's endpoint in a process of its own, which answers every call at once and does nothing. What is measured is the
 * way there and back, the same for Tether and for the hand-written program.
 */
import { createServer } from 'node:http';
import { announceReady } from './children.ts';

const body = Buffer.from('{"status":"void","receipt":"R-20260820-17"}');
const headers = { 'content-type': 'application/json', 'content-length': body.length };

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => response.writeHead(200, headers).end(body));
});
// Longer than any pause between two rounds: nobody here measures reconnecting.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the endpoint has no port');
  announceReady(`http://127.0.0.1:${address.port}`);
});
