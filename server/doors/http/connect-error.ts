import { Code, ConnectError } from '@connectrpc/connect';
import { ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { errorToWire } from '../../wire/error.ts';
import type { Failure } from '../failure.ts';

/** A failure as connect-node sends it, by Connect and gRPC-Web alike. */
export function connectErrorOf({ code, message, detail }: Failure): ConnectError {
  const headers = new Headers();
  if (code === Code.Unauthenticated) headers.set('www-authenticate', 'Bearer');
  if (detail?.retryAfterSeconds !== undefined) headers.set('retry-after', String(Math.ceil(detail.retryAfterSeconds)));
  const details = detail === undefined ? [] : [{ desc: ActionableErrorSchema, value: errorToWire(detail) }];
  return new ConnectError(message, code, headers, details);
}
