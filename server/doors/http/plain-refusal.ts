import type { ServerResponse } from 'node:http';
import type { Code } from '@connectrpc/connect';
import { errorToJson } from '@connectrpc/connect/protocol-connect';
import type { CallError } from '../../domain/error.ts';
import { Failure } from '../failure.ts';
import { fitDetail } from '../fit-detail.ts';
import { connectErrorOf } from './connect-error.ts';

/**
 * Answers what never reaches an RPC: in plain HTTP, with the same JSON that a failed Connect call has, so that a client
 * that can read the one can read the other.
 */
export function refusePlainly(response: ServerResponse, status: number, code: Code, error: CallError): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(plainRefusal(code, error));
}

/** The body of such an answer. */
export function plainRefusal(code: Code, error: CallError): string {
  const detail = fitDetail(error.detail);
  return JSON.stringify(errorToJson(connectErrorOf(new Failure(code, detail.message, detail)), undefined));
}
