import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Message } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import type { Principal } from '../../domain/principal.ts';
import type { Call } from '../call.ts';
import { Failure } from '../failure.ts';
import { fitDetail } from '../fit-detail.ts';
import { invalidRequest } from '../invalid-request.ts';
import type { DoorLimits } from '../limits.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Rpc, StreamRpc, UnaryRpc } from '../rpc/rpc.ts';
import { traceContextOf } from '../trace-context.ts';
import { fail, send } from './answer.ts';
import { type Caller, callerOf } from './caller.ts';
import { listText, type Member, objectText, stringText } from './json-text.ts';
import { problemOf } from './problem.ts';
import { readBody } from './read-body.ts';
import { keyHeader, readRequest } from './read-request.ts';
import { Refused } from './refused.ts';
import { type Match, routesOf } from './route.ts';
import { routes } from './routes.ts';
import { planVerdictText, verdictText } from './verdict.ts';
import { writeMessage } from './write-message.ts';

/** Plain JSON over HTTP, for callers that have neither gRPC nor Connect. */
export interface JsonDoor {
  /** Answers every request below `/v1/`. Rejects only when an answer cannot be written. */
  answer(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void>;
}

export interface JsonDoorOptions {
  readonly rpcs: readonly Rpc[];
  readonly pipeline: Pipeline;
  readonly limits: DoorLimits;
}

/** Where the door's OpenAPI document is: what there is below `/v1/`. */
export const documentPath = '/v1/openapi.json';

/** One request, on its way. */
interface Visit {
  readonly match: Match;
  readonly rpc: Rpc;
  readonly call: Call;
  readonly caller: Caller;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: string;
}

/**
 * Maps plain requests to the RPCs by the table of routes, through the pipeline that every door has, and their answers back.
 * Nothing is decided here.
 */
export function createJsonDoor({ rpcs, pipeline, limits }: JsonDoorOptions): JsonDoor {
  const byMethod = new Map(rpcs.map((rpc) => [rpc.method, rpc]));
  const document = readFileSync(new URL('./openapi.json', import.meta.url), 'utf8');

  async function answer(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> {
    const [path = '', query = ''] = split(request.url ?? '', '?');
    if (path === documentPath) return sendDocument(request, response, document);
    const matches = routesOf(routes, path);
    const match = matches.find(({ route }) => route.verb === request.method);
    if (match === undefined) return misdirected(request, response, path, matches);
    const rpc = byMethod.get(match.route.method);
    if (rpc === undefined) throw new Error(`nothing serves ${match.route.method.name}`);
    const caller = callerOf(response);
    const { authorization } = request.headers;
    const peer = request.socket.remoteAddress ?? '';
    const incoming = traceContextOf(request.headers.traceparent, request.headers.tracestate);
    const call = { requestId, door: 'json' as const, incoming, authorization, peer, signal: caller.signal };
    await visit({ match, rpc, call, caller, request, response, query });
  }

  async function visit(about: Visit): Promise<void> {
    const { rpc, call, response, match } = about;
    try {
      const principal = await pipeline.admit(rpc, call);
      const message = await requestOf(about);
      if (rpc.kind === 'unary') await answerOnce(rpc, principal, message, about);
      else if (match.route.answer === 'stream') await answerByLines(rpc, principal, message, about);
      else await answerAtTheEnd(rpc, principal, message, about);
    } catch (thrown) {
      if (response.headersSent) throw thrown;
      const refused = thrown instanceof Refused ? thrown : undefined;
      fail(response, pipeline.fail(rpc, call, refused?.error ?? thrown, 'before'), subjectOf(match), refused?.status);
    }
  }

  async function requestOf({ match, request, query, caller, call }: Visit): Promise<Message> {
    const keys = request.headersDistinct[keyHeader.toLowerCase()] ?? [];
    const body = match.route.verb === 'GET' ? '' : await readBody(request, limits.requestBytes, caller);
    call.signal.throwIfAborted();
    return readRequest(match, { query, body, keys });
  }

  async function answerOnce(rpc: UnaryRpc, principal: Principal, message: Message, about: Visit): Promise<void> {
    const { call, response, match } = about;
    const answered = await pipeline.run(rpc, principal, message, call);
    const text = textOr(about, () =>
      match.route.answer === 'verdict' ? verdictText(answered) : writeMessage(rpc.method.output, answered),
    );
    send(response, 200, text);
  }

  async function answerAtTheEnd(rpc: StreamRpc, principal: Principal, message: Message, about: Visit): Promise<void> {
    const { call, response } = about;
    const verdicts: string[] = [];
    try {
      for await (const answered of pipeline.stream(rpc, principal, message, call))
        verdicts.push(textOr(about, () => planVerdictText(answered)));
    } catch (thrown) {
      // What was decided before is told beside what went wrong.
      return fail(response, pipeline.fail(rpc, call, thrown, 'after'), [['verdicts', listText(verdicts)]]);
    }
    send(response, 200, objectText([['verdicts', listText(verdicts)]]));
  }

  async function answerByLines(rpc: StreamRpc, principal: Principal, message: Message, about: Visit): Promise<void> {
    const { call, response } = about;
    try {
      for await (const answered of pipeline.stream(rpc, principal, message, call)) {
        if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        await written(
          response,
          textOr(about, () => writeMessage(rpc.method.output, answered)),
          call.signal,
        );
      }
    } catch (thrown) {
      const failure = pipeline.fail(rpc, call, thrown, 'after');
      if (!response.headersSent) return fail(response, failure, []);
      if (!call.signal.aborted) response.write(`${objectText(problemOf(failure).members)}\n`);
    }
    response.end();
  }

  /** Writing what was answered can only fail by our own fault, when what was to be done has been done. */
  function textOr({ rpc, call }: Visit, write: () => string): string {
    try {
      return write();
    } catch (thrown) {
      throw pipeline.fail(rpc, call, thrown, 'after');
    }
  }

  return { answer };
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** Which action a path is about, told beside an error. */
function subjectOf({ route, parameter }: Match): readonly Member[] {
  return route.pathField === 'action_id' ? [['actionId', stringText(parameter)]] : [];
}

/** A path that there is not, or not with this verb. What there is, is no secret: the same for everybody. */
function misdirected(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  matches: readonly Match[],
): void {
  const allowed = matches.map(({ route }) => route.verb);
  if (allowed.length > 0) {
    wrongVerb(request, response, allowed);
    return;
  }
  const paths = [...new Set(routes.map((route) => route.path)), documentPath];
  const { detail } = invalidRequest({
    message: `There is nothing at this path. There are ${paths.join(', ')}.`,
    field: 'path',
    receivedJson: JSON.stringify(path),
    acceptedJson: paths.map((each) => JSON.stringify(each)),
  });
  fail(response, new Failure(Code.Unimplemented, detail.message, fitDetail(detail)), [], 404);
}

function wrongVerb({ method }: IncomingMessage, response: ServerResponse, allowed: readonly string[]): void {
  response.setHeader('allow', allowed.join(', '));
  const { detail } = invalidRequest({
    message: `This path is called by ${allowed.join(' or ')}, not by ${method}.`,
    field: 'method',
    receivedJson: JSON.stringify(method),
    acceptedJson: allowed.map((each) => JSON.stringify(each)),
  });
  fail(response, new Failure(Code.Unimplemented, detail.message, detail), [], 405);
}

function sendDocument(request: IncomingMessage, response: ServerResponse, document: string): void {
  if (request.method === 'GET') send(response, 200, document);
  else wrongVerb(request, response, ['GET']);
}

/**
 * Writes one line: a line break in JSON that an endpoint sent stands between its values, and a space does there as well.
 * Resolves when the caller has room for more; throws the signal's reason when that fires first.
 */
async function written(response: ServerResponse, line: string, signal: AbortSignal): Promise<void> {
  if (response.write(`${line.replace(/[\r\n]+/g, ' ')}\n`)) return;
  await once(response, 'drain', { signal }).catch(() => signal.throwIfAborted());
}
