/** Serves an endpoint as plain JSON from Node's own HTTP server, and from all that hand on its requests: Express, Connect, Koa. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from './endpoint.ts';
import { answerJson, type JsonAnswer, jsonType, trouble } from './json/answer-json.ts';
import { bodyOf, headerOf, parsedAway } from './node-body.ts';

export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A handler for one path; where it hangs is for your server to say.
 *
 *   createServer(nodeHandler(endpoint)).listen(8090);
 *   app.post('/tools', nodeHandler(endpoint));          // Express: before `express.json()`
 */
export function nodeHandler(endpoint: Endpoint): NodeHandler {
  return (request, response) => {
    answer(endpoint, request)
      .then(({ status, body }) => {
        const length = Buffer.byteLength(body);
        response.writeHead(status, { 'content-type': jsonType, 'content-length': length }).end(body);
      })
      // Broken off in the middle of the request, or answered by somebody else: there is nobody to answer.
      .catch(() => response.destroy());
  };
}

async function answer(endpoint: Endpoint, request: IncomingMessage): Promise<JsonAnswer> {
  if (request.method !== 'POST') return trouble(405, 'method_not_allowed', 'Calls are POST requests.');
  const body = await bodyOf(request, endpoint.maxRequestBytes);
  switch (body.kind) {
    case 'bytes':
      return answerJson(endpoint, body.bytes, headerOf(request));
    case 'too-large':
      return trouble(413, 'request_too_large', `A request has at most ${endpoint.maxRequestBytes} bytes here.`);
    case 'parsed-away': {
      const error = new Error(parsedAway);
      endpoint.notRead('failed', error);
      return trouble(415, 'body_parsed_away', error.message);
    }
  }
}
