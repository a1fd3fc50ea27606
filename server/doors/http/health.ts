import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readiness } from '../../lifecycle/ports/readiness.ts';
import { wrongMethod } from './misdirected.ts';

/** `/healthz` is what `/livez` was called first. */
const livenessPaths: readonly string[] = ['/livez', '/healthz'];
const readinessPath = '/readyz';
export const healthPaths: readonly string[] = [...livenessPaths, readinessPath];

/** Answers the requests for these paths; false for any other. */
export type HealthAnswers = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Answers whoever asks whether this process lives (it does, or nobody would answer), and whether calls should be sent to it. Anybody
 * may ask; it tells of this server, and of no tenant.
 */
export function healthAnswers(readiness: Readiness): HealthAnswers {
  return (path, request, response) => {
    if (!healthPaths.includes(path)) return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      wrongMethod(response, request, ['GET', 'HEAD']);
      return true;
    }
    const standing = path === readinessPath ? readiness.standing() : { status: 'ok' };
    const status = standing.status === 'ok' || standing.status === 'ready' ? 200 : 503;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(standing));
    return true;
  };
}
