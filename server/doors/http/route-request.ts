import type { IncomingMessage, ServerResponse } from 'node:http';
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from '@connectrpc/connect-node';
import { refusalOf } from '../failure.ts';
import { fail } from '../json/answer.ts';
import { documentPath, type JsonDoor } from '../json/json-door.ts';
import { boundTimeouts } from './bound-timeouts.ts';
import { type Entered, pathOf } from './entrance.ts';
import { type HealthAnswers, healthPaths } from './health.ts';
import { type MetricsAnswers, metricsPath } from './metrics.ts';
import { badHost, nothingHere, withinPlainJson, wrongContentType, wrongMethod, wrongQuery } from './misdirected.ts';
import type { RpcHandler } from './rpc-handlers.ts';

/** What there is behind the HTTP door. */
export interface HttpServices {
  readonly handlers: ReadonlyMap<string, RpcHandler>;
  readonly json: JsonDoor;
  readonly answerHealth: HealthAnswers;
  readonly answerMetrics: MetricsAnswers;
}

/** Where the plain JSON door is. */
const plainJson = '/v1/';

/** Leads a request to what answers it, or says what there is. Rejects only when an answer cannot be written. */
export async function routeRequest(
  { handlers, json, answerHealth, answerMetrics }: HttpServices,
  request: IncomingMessage,
  response: ServerResponse,
  { requestId, refusal }: Entered,
): Promise<void> {
  const path = pathOf(request);
  if (answerHealth(path, request, response)) return;
  const metrics = answerMetrics(path, request, response);
  if (metrics !== undefined) return metrics;
  if (path.startsWith(plainJson)) {
    const right = path.slice(plainJson.length - 1);
    if (handlers.has(right)) return withinPlainJson(response, path, right);
    if (refusal === undefined) return json.answer(request, response, requestId);
    return fail(response, refusalOf(refusal.error), [], refusal.status);
  }
  const rpc = handlers.get(path);
  if (rpc === undefined)
    return nothingHere(response, path, [...handlers.keys(), ...healthPaths, metricsPath, documentPath]);
  const { allowedMethods, supportedContentType, method } = rpc.handler;
  if (!allowedMethods.includes(request.method ?? '')) return wrongMethod(response, request, allowedMethods);
  const type = request.headers['content-type'] ?? '';
  const badType = () => wrongContentType(response, type, method.methodKind);
  const byQuery = request.method === 'GET';
  if (!byQuery && !supportedContentType(type)) return badType();
  const universal = universalRequest(request, response);
  if (universal === undefined) return badHost(response, request);
  boundTimeouts(universal.header);
  const answer = await (refusal
    ? rpc.refuse(universal, refusalOf(refusal.error))
    : rpc.answer(universal, requestId, request.socket.remoteAddress ?? ''));
  if (answer.status === 415) return byQuery ? wrongQuery(response) : badType();
  await universalResponseToNodeResponse(answer, response);
}

/** Undefined when the request names no host that could be one. */
function universalRequest(request: IncomingMessage, response: ServerResponse) {
  if (!URL.canParse(request.url ?? '', `http://${request.headers.host ?? ''}`)) return undefined;
  return universalRequestFromNodeRequest(request, response, undefined, undefined);
}
