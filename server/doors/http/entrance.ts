import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CallError } from '../../domain/error.ts';
import { invalidRequest } from '../invalid-request.ts';
import { Refused } from '../json/refused.ts';
import { requestIdFrom, requestIdHeader } from '../request-id.ts';
import type { Shown } from '../tls/shown-certificates.ts';
import { certificateMissing } from './certificate-gate.ts';
import { commonHeaders, strictTransport } from './common-headers.ts';
import { letInOrigins } from './cors.ts';
import { healthPaths } from './health.ts';

export interface EntranceOptions {
  /** Origins whose pages may call. */
  readonly corsOrigins: readonly string[];
  /** How many headers a request may have. */
  readonly headers: number;
  /** Whether the connections are by TLS. */
  readonly secure: boolean;
  /** What a connection showed; undefined where no certificate is asked for. */
  readonly shown: ((socket: Socket) => Shown) | undefined;
}

/** Asked by programs that have no certificate: a kubelet, a load balancer. */
const openToAll: ReadonlySet<string> = new Set(healthPaths);

/** A request that goes on: refused, in the words of the door that it is for, or led to what answers it. */
export interface Entered {
  readonly requestId: string;
  readonly refusal: Refused | undefined;
}

/** What is done for every request before it is led anywhere. A preflight is answered here. */
export function createEntrance({
  corsOrigins,
  headers: most,
  secure,
  shown,
}: EntranceOptions): (request: IncomingMessage, response: ServerResponse) => 'answered' | Entered {
  const letIn = letInOrigins(corsOrigins, { withCertificates: shown !== undefined });
  const headers = secure ? new Map([...commonHeaders, strictTransport]) : commonHeaders;
  return (request, response) => {
    const requestId = requestIdFrom(request.headers[requestIdHeader]);
    response.setHeader(requestIdHeader, requestId);
    response.setHeaders(headers);
    // A browser shows no certificate in a preflight.
    if (letIn(request, response) === 'answered') return 'answered';
    const count = request.rawHeaders.length / 2;
    if (count > most) return { requestId, refusal: new Refused(431, tooManyHeaders(most, count)) };
    const showing = shown === undefined || openToAll.has(pathOf(request)) ? 'good' : shown(request.socket);
    return { requestId, refusal: showing === 'good' ? undefined : new Refused(401, certificateMissing(showing)) };
  };
}

function tooManyHeaders(most: number, count: number): CallError {
  return invalidRequest({
    message: `A request may have at most ${most} headers. This one has ${count}.`,
    receivedJson: String(count),
    limitJson: String(most),
  });
}

/** The path of a request, as it was sent. */
export function pathOf({ url }: IncomingMessage): string {
  return url?.split('?', 1)[0] ?? '';
}
