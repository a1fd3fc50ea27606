/** Serves an endpoint over Connect: from Node's HTTP server and what hands on its requests, or where requests are those of fetch. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from './endpoint.ts';
import { fetchBody } from './fetch-body.ts';
import { bodyOf } from './node-body.ts';
import { type ConnectAnswer, connectAnswers, connectFault } from './proto/connect-answers.ts';
import type { RequestBody } from './request-body.ts';

export type ConnectNodeHandler = (request: IncomingMessage, response: ServerResponse) => void;
export type ConnectFetchHandler = (request: Request) => Promise<Response>;

/**
 * Serves `tether.v1.ToolEndpoint` under any path.
 *
 *   createServer(connectHandler(endpoint)).listen(8090);
 *   app.use('/tools', connectHandler(endpoint));           // Express: before `express.json()`
 */
export function connectHandler(endpoint: Endpoint): ConnectNodeHandler {
  const answers = connectAnswers(endpoint);
  return (request, response) => {
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headersDistinct)) {
      for (const each of value ?? []) headers.append(name, each);
    }
    const answer = async (): Promise<ConnectAnswer> => {
      const body = await bodyOf(request, endpoint.maxRequestBytes);
      const { method = '', url = '' } = request;
      return body.kind === 'bytes' ? answers({ method, url, headers, body: body.bytes }) : noBytes(endpoint, body);
    };
    answer()
      .then(({ status, headers, body }) => response.writeHead(status, Object.fromEntries(headers)).end(body))
      // Broken off in the middle of the request, or answered by somebody else: there is nobody to answer.
      .catch(() => response.destroy());
  };
}

/** The same where requests and answers are those of fetch. */
export function connectFetchHandler(endpoint: Endpoint): ConnectFetchHandler {
  const answers = connectAnswers(endpoint);
  return async (request) => {
    const { method, url, headers } = request;
    const body = await fetchBody(request, endpoint.maxRequestBytes);
    const answer =
      body.kind === 'bytes' ? await answers({ method, url, headers, body: body.bytes }) : noBytes(endpoint, body);
    return new Response(answer.body, { status: answer.status, headers: answer.headers });
  };
}

function noBytes(endpoint: Endpoint, { kind }: Exclude<RequestBody, { kind: 'bytes' }>): ConnectAnswer {
  if (kind === 'too-large') {
    return connectFault('invalid_argument', `A request has at most ${endpoint.maxRequestBytes} bytes here.`);
  }
  const message =
    'The body was read before the endpoint got it, and what is signed are its bytes: hand on the request unread.';
  endpoint.notRead('failed', new Error(message));
  return connectFault('unimplemented', message);
}
