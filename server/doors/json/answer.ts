import type { ServerResponse } from 'node:http';
import type { Failure } from '../failure.ts';
import { requestIdHeader } from '../request-id.ts';
import { type Member, objectText, stringText } from './json-text.ts';
import { problemOf } from './problem.ts';

/** Answers with JSON that is written already. */
export function send(response: ServerResponse, status: number, text: string): void {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, headers).end(text);
}

/** Answers a call that failed, with what else is to be told; `better` is a status that plain HTTP has for it. */
export function fail(response: ServerResponse, failure: Failure, beside: readonly Member[], better?: number): void {
  const { status, members, retryAfter } = problemOf(failure, better);
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
  const requestId = response.getHeader(requestIdHeader);
  send(response, status, objectText([...members, ...beside, ['requestId', stringText(String(requestId ?? ''))]]));
}
