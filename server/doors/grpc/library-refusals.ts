import { Code } from '@connectrpc/connect';
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import type { CallError } from '../../domain/error.ts';
import { Failure } from '../failure.ts';
import { fitDetail } from '../fit-detail.ts';
import { invalidRequest, tooLarge } from '../invalid-request.ts';
import type { DoorLimits } from '../limits.ts';

type SendStatus = ServerInterceptingCallInterface['sendStatus'];
type Status = Parameters<SendStatus>[0];

export interface RefusedCall {
  /** What is called. */
  readonly path: string;
  readonly limits: DoorLimits;
}

const nothingCame = 'Received no request message';

/**
 * Has `refuse` say what the library refuses by itself: requests that cannot be read, of which nothing has reached a handler. The
 * library sends these past all interceptors, by the call that it hands to the first of them; so it is there that they are caught.
 * It says only in words which it is: words that are not known stay as they are.
 */
export function explainRefusals(
  grpcCall: ServerInterceptingCallInterface,
  about: RefusedCall,
  refuse: (refusal: CallError | Failure) => void,
): void {
  const send: SendStatus = grpcCall.sendStatus.bind(grpcCall);
  grpcCall.sendStatus = (status) => {
    const refusal = refusalIn(status, about);
    if (refusal === undefined) send(status);
    // Who leaves looks like who sends nothing, until the end of this turn of the event loop.
    else if (status.details?.startsWith(nothingCame)) setImmediate(refuse, refusal);
    else refuse(refusal);
  };
}

/** Undefined for a status that is ours: it has metadata, or is another than those that the library makes of a request. */
function refusalIn({ code, details = '', metadata }: Status, about: RefusedCall): CallError | Failure | undefined {
  if (metadata) return undefined;
  switch (Number(code)) {
    case Code.ResourceExhausted:
      return /^Received message .*larger than/.test(details) ? tooLarge(about.limits.requestBytes) : undefined;
    case Code.Internal:
      return unreadable(details, about);
    case Code.Unimplemented:
      return unsupported(details, about);
    default:
      return undefined;
  }
}

function unreadable(details: string, { path }: RefusedCall): CallError | undefined {
  if (details === 'Failed to decompress message')
    return invalidRequest({ message: `The request of ${path} says that it is packed, and does not unpack.` });
  if (details.startsWith('Error deserializing request'))
    return invalidRequest({ message: `The request of ${path} does not parse.` });
  const [, timeout] = /^Invalid grpc-timeout value "(.*)"$/s.exec(details) ?? [];
  if (timeout === undefined) return undefined;
  return invalidRequest({
    message: `grpc-timeout is at most eight digits and a unit of H, M, S, m, u and n, like "5S"; it is ${JSON.stringify(timeout)}.`,
    field: 'grpc-timeout',
    receivedJson: JSON.stringify(timeout),
  });
}

/** The protocol asks for this code. */
function unsupported(details: string, { path }: RefusedCall): Failure | undefined {
  const [, encoding] = /^Received message compressed with unsupported encoding "(.*)"$/s.exec(details) ?? [];
  if (encoding !== undefined) return unimplemented(unknownEncoding(encoding));
  const none = details.startsWith(nothingCame);
  if (!none && !details.startsWith('Received a second request message')) return undefined;
  return noSingleRequest(path, none ? 'none' : 'a second');
}

export function noSingleRequest(path: string, got: 'none' | 'a second'): Failure {
  return unimplemented(invalidRequest({ message: `${path} takes one request message, and got ${got}.` }));
}

function unknownEncoding(encoding: string): CallError {
  const accepted = ['identity', 'deflate', 'gzip'];
  return invalidRequest({
    message: `grpc-encoding is one of ${accepted.join(', ')}; it is ${JSON.stringify(encoding)}.`,
    field: 'grpc-encoding',
    receivedJson: JSON.stringify(encoding),
    acceptedJson: accepted.map((each) => JSON.stringify(each)),
  });
}

function unimplemented({ detail }: CallError): Failure {
  const fitted = fitDetail(detail);
  return new Failure(Code.Unimplemented, fitted.message, fitted);
}
