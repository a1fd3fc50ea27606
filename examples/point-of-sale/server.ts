import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type pg from 'pg';
import { answer } from './answer.ts';
import { type Call, NoCall, type Probe, readCall } from './call.ts';
import type { CallLog, LogLine } from './call-log.ts';
import { TooLate } from './ledger.ts';
import { Refused, refusalBody } from './refused.ts';
import { type CheckSignature, Unsigned } from './signature.ts';

/** Bytes; Tether sends at most 256 KiB of arguments. */
const maxBody = 1024 * 1024;

interface Reply {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
}

export interface PointOfSaleOptions {
  readonly pool: pg.Pool;
  readonly log: CallLog;
  /** Called with each line when its call is answered. */
  readonly onAnswered: (line: LogLine) => void;
  /** Undefined lets in whoever comes. */
  readonly checkSignature?: CheckSignature;
}

/** The shop's HTTP server: `POST /tools` answers Tether's calls, `GET /log` shows which ones came. */
export function createPointOfSale(options: PointOfSaleOptions): Server {
  // Longer than Tether keeps an idle connection, so that none is closed at the moment it is used again.
  const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
    response.on('finish', () => {
      if (!server.listening) request.socket.end();
    });
    route(request, response, options).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      if (response.headersSent) response.destroy();
      else send(response, failure(500, 'internal', 'The point of sale failed; look up whether anything was changed.'));
    });
  });
  return server;
}

async function route(request: IncomingMessage, response: ServerResponse, options: PointOfSaleOptions): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (request.method === 'GET' && pathname === '/log') {
    response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' }).end(options.log.text());
  } else if (request.method === 'POST' && pathname === '/tools') {
    send(response, await callTool(request, options));
  } else {
    send(response, failure(404, 'not_found', 'Here are POST /tools, for calls, and GET /log, which lists them.'));
  }
}

async function callTool(request: IncomingMessage, options: PointOfSaleOptions): Promise<Reply> {
  const { pool, log, onAnswered, checkSignature } = options;
  let call: Call | Probe;
  try {
    const body = await bodyOf(request);
    checkSignature?.(request.headers, body);
    call = readCall(body, keyOf(request));
  } catch (error) {
    if (error instanceof Unsigned) return failure(401, 'unauthenticated', error.message);
    if (!(error instanceof NoCall)) throw error;
    return { status: 400, body: JSON.stringify({ error: 'invalid_call', message: error.message, field: error.field }) };
  }
  const line = log.arrived(call);
  try {
    const { how, body } = await answer(pool, call);
    line.answer = how;
    return { status: 200, body };
  } catch (error) {
    line.answer = error instanceof Refused ? 'refused' : 'failed';
    if (!(error instanceof Refused)) throw error;
    line.error = error.code;
    return { status: statusOf(error), body: JSON.stringify(refusalBody(error)) };
  } finally {
    onAnswered(line);
  }
}

/**
 * A refusal is a normal answer: 200, and the model explains it. An attempt that came too late is not a refusal of what was
 * asked for; 425 is a status that Tether takes as "nothing was done, may be confirmed again".
 */
function statusOf(refused: Refused): number {
  return refused instanceof TooLate ? 425 : 200;
}

function keyOf(request: IncomingMessage): string | undefined {
  const key = request.headers['x-tether-idempotency-key'];
  return typeof key === 'string' ? key : undefined;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size <= maxBody) chunks.push(bytes);
  }
  if (size > maxBody) throw new NoCall(`The body must have at most ${maxBody} bytes.`);
  return Buffer.concat(chunks).toString();
}

function failure(status: number, error: string, message: string): Reply {
  return { status, body: JSON.stringify({ error, message }) };
}

function send(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
