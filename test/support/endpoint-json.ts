import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerBody, type EndpointAnswer, type EndpointCall, type EndpointPetition } from './endpoint-answer.ts';
import type { Serve } from './endpoint-serve.ts';

export const serveJson: Serve = async (decide, port) => {
  const answerTo = (request: IncomingMessage, body: string): Promise<EndpointAnswer> => {
    if (request.url === '/authorize') return decide.authorize(petitionOf(request, body));
    const call = callOf(request, body);
    return call.mode === 'probe' ? decide.probe(call) : decide.invoke(call);
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    sendHttp(await answerTo(request, body), request, response);
  });
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    connections: () => connections,
    port: (server.address() as AddressInfo).port,
    path: '/tools',
    authorizerPath: '/authorize',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** The answers that are plain HTTP, for every server that speaks it. */
export function sendHttp(answer: EndpointAnswer, request: IncomingMessage, response: ServerResponse): void {
  const json = { 'content-type': 'application/json' };
  switch (answer.kind) {
    case 'result':
    case 'refusal':
    case 'probed':
    case 'decided':
      response.writeHead(200, json).end(answerBody(answer));
      return;
    case 'http':
      response.writeHead(answer.status, { ...json, ...answer.headers }).end(answer.body);
      return;
    case 'silence':
      return;
    case 'reset':
      request.socket.resetAndDestroy();
      return;
    case 'cut':
      response.writeHead(200, { ...json, 'content-length': Buffer.byteLength(answer.body) + 10 });
      response.write(answer.body, () => request.socket.end());
      return;
    case 'status':
    case 'empty':
      throw new Error(`plain HTTP has no ${answer.kind}`);
  }
}

/** Header fields as a plain object of strings. */
export function headersOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}

function callOf(request: IncomingMessage, body: string): EndpointCall {
  const envelope = JSON.parse(body);
  const headers = headersOf(request);
  return {
    transport: 'json',
    idempotencyKey: headers['x-tether-idempotency-key'] ?? '',
    requestId: envelope.request_id,
    tool: envelope.tool,
    argumentsJson: between(body, '"args":', ',"tenant":'),
    tenant: { id: envelope.tenant.id, scope: envelope.tenant.scope, userId: envelope.tenant.user_id },
    isWrite: envelope.is_write,
    mode: envelope.mode,
    actionId: envelope.action_id,
    attempt: envelope.attempt,
    deadline: new Date(envelope.deadline),
    headers,
    body,
  };
}

function petitionOf(request: IncomingMessage, body: string): EndpointPetition {
  const { action, approver } = JSON.parse(body);
  return {
    transport: 'json',
    action: {
      ...{ id: action.id, tenantId: action.tenant_id, tool: action.tool, summary: action.summary },
      argumentsJson: between(body, '"arguments":', ',"value":'),
      previewDigest: action.preview_digest,
      proposedBy: { credentialId: action.proposed_by.credential_id, userId: action.proposed_by.user_id },
    },
    approver: { credentialId: approver.credential_id, userId: approver.user_id },
    headers: headersOf(request),
    body,
  };
}

/** The bytes after the first `from` up to the last `to`; empty when there is no `from`. */
function between(text: string, from: string, to: string): string {
  const start = text.indexOf(from);
  return start === -1 ? '' : text.slice(start + from.length, text.lastIndexOf(to));
}
