import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Code } from '@connectrpc/connect';
import { CallError } from '../../domain/error.ts';
import { wrongMethod } from './misdirected.ts';
import { refusePlainly } from './plain-refusal.ts';

/** What is told to whoever measures. */
export interface Metrics {
  /** In Prometheus' text format. */
  text(): Promise<string>;
  /** Who has it may read; null: whoever is on this machine. */
  readonly token: string | null;
}

export const metricsPath = '/metrics';

/** Answers the requests for this path; undefined for any other. */
export type MetricsAnswers = (
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void> | undefined;

/** Nothing of a tenant is told, but what the tools are called and how much is done is nobody else's business either. */
export function metricsAnswers({ text, token }: Metrics): MetricsAnswers {
  const mayRead = token === null ? isOnThisMachine : bearerOf(token);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return wrongMethod(response, request, ['GET', 'HEAD']);
    if (!mayRead(request)) return refuse(response, token);
    const told = await text();
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(told);
  }
  return (path, request, response) => (path === metricsPath ? answer(request, response) : undefined);
}

function bearerOf(token: string): (request: IncomingMessage) => boolean {
  // Of the same length, whatever was sent.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(token);
  return ({ headers }) => {
    const sent = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
    return sent !== undefined && timingSafeEqual(digest(sent), expected);
  };
}

const loopback = /^(::1|127(\.\d{1,3}){3}|::ffff:127(\.\d{1,3}){3})$/;

/** A proxy on this machine speaks for somebody else. */
const proxied = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

function isOnThisMachine({ socket, headers }: IncomingMessage): boolean {
  return loopback.test(socket.remoteAddress ?? '') && !proxied.some((name) => name in headers);
}

function refuse(response: ServerResponse, token: string | null): void {
  if (token === null) {
    const message = 'Metrics are for this machine alone, until TETHER_METRICS_TOKEN is set; then for whoever sends it.';
    refusePlainly(response, 403, Code.PermissionDenied, new CallError('PERMISSION_DENIED', { message }));
    return;
  }
  response.setHeader('www-authenticate', 'Bearer');
  const message = 'Send the header "authorization: Bearer <token>" with the token that TETHER_METRICS_TOKEN holds.';
  refusePlainly(
    response,
    401,
    Code.Unauthenticated,
    new CallError('UNAUTHENTICATED', { message, field: 'authorization' }),
  );
}
