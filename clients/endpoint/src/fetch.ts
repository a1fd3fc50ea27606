/** Serves an endpoint as plain JSON where requests and answers are those of fetch: Hono, Bun, Deno, workers. */
import type { Endpoint } from './endpoint.ts';
import { fetchBody } from './fetch-body.ts';
import { answerJson, type JsonAnswer, jsonType, trouble } from './json/answer-json.ts';

export type FetchHandler = (request: Request) => Promise<Response>;

/**
 * A handler for one path; where it hangs is for your server to say.
 *
 *   const answer = fetchHandler(endpoint);
 *   app.post('/tools', (c) => answer(c.req.raw));                                      // Hono
 *   Deno.serve({ port: 8090 }, answer);
 */
export function fetchHandler(endpoint: Endpoint): FetchHandler {
  return async (request) => {
    const { status, body } = await answer(endpoint, request);
    return new Response(body, { status, headers: { 'content-type': jsonType } });
  };
}

async function answer(endpoint: Endpoint, request: Request): Promise<JsonAnswer> {
  if (request.method !== 'POST') return trouble(405, 'method_not_allowed', 'Calls are POST requests.');
  const body = await fetchBody(request, endpoint.maxRequestBytes);
  switch (body.kind) {
    case 'bytes':
      return answerJson(endpoint, body.bytes, (name) => request.headers.get(name));
    case 'too-large':
      return trouble(413, 'request_too_large', `A request has at most ${endpoint.maxRequestBytes} bytes here.`);
    case 'parsed-away': {
      const message =
        'The body was read before the endpoint got it, and what is signed are its bytes: hand on the request unread.';
      endpoint.notRead('failed', new Error(message));
      return trouble(415, 'body_parsed_away', message);
    }
  }
}
