/** Whether the doors could be opened here, and who has opened them already. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { json } from 'node:stream/consumers';
import { Client, credentials } from '@grpc/grpc-js';
import type { Config } from '../../config.ts';
import { type Finding, fail, ok } from './finding.ts';

const patienceMs = 2_000;

/** What there is to say of the ports, and whether a tether runs at one of them. */
export async function checkPorts(config: Config): Promise<{ readonly runs: boolean; readonly findings: Finding[] }> {
  const { host, httpPort, grpcPort, tls } = config;
  let runs = false;
  const noted = async (isOurs: Promise<boolean>): Promise<boolean> => {
    const ours = await isOurs;
    runs ||= ours;
    return ours;
  };
  const http = () => noted(isHttpDoor(host, httpPort, tls !== null));
  const grpc = () => noted(isGrpcDoor(host, grpcPort, tls !== null));
  const findings = [
    await checkPort('http-port', 'TETHER_HTTP_PORT', host, httpPort, http),
    await checkPort('grpc-port', 'TETHER_GRPC_PORT', host, grpcPort, grpc),
  ];
  return { runs, findings };
}

async function checkPort(
  check: string,
  setting: string,
  host: string,
  port: number,
  isOurs: () => Promise<boolean>,
): Promise<Finding> {
  if (port === 0) return ok(check, `${setting} is 0: a free port is picked at each start`);
  const code = await bind(host, port);
  const place = `${host}:${port}`;
  if (code === undefined) return ok(check, `${place} is free`);
  if (code === 'EADDRINUSE') {
    if (await isOurs()) return ok(check, `${place} is in use by a tether that runs`);
    return fail(
      check,
      `${place} is in use, and not by a tether that can be recognised`,
      `end what uses it, or set ${setting}`,
    );
  }
  if (code === 'EACCES')
    return fail(check, `${place} may not be used by this user`, `set ${setting} to one above 1023`);
  return fail(check, `${place} cannot be bound (${code})`, 'set TETHER_HOST to an address of this machine');
}

/** The system's reason why not; undefined when it can be bound. */
function bind(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** What listens everywhere is asked here. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** By its OpenAPI document, which anybody may read. */
async function isHttpDoor(host: string, port: number, secure: boolean): Promise<boolean> {
  const request = secure ? httpsRequest : httpRequest;
  try {
    const document = await new Promise<unknown>((resolve, reject) => {
      const options = {
        host: reachable(host),
        port,
        path: '/v1/openapi.json',
        signal: AbortSignal.timeout(patienceMs),
      };
      // Whoever it is says nothing secret, and is told nothing.
      request({ ...options, agent: false, rejectUnauthorized: false }, (response) => resolve(json(response)))
        .once('error', reject)
        .end();
    });
    return titleOf(document).startsWith('Tether');
  } catch {
    return false;
  }
}

function titleOf(document: unknown): string {
  if (typeof document !== 'object' || document === null || !('info' in document)) return '';
  const { info } = document;
  return typeof info === 'object' && info !== null && 'title' in info ? String(info.title) : '';
}

/** By its health service, which knows our own service by name. */
function isGrpcDoor(host: string, port: number, secure: boolean): Promise<boolean> {
  const name = Buffer.from('tether.v1.ActionService');
  const request = Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  const address = reachable(host).includes(':') ? `[${reachable(host)}]` : reachable(host);
  const trust = secure
    ? credentials.createSsl(null, null, null, { rejectUnauthorized: false })
    : credentials.createInsecure();
  const client = new Client(`${address}:${port}`, trust);
  const asIs = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    const deadline = Date.now() + patienceMs;
    client.makeUnaryRequest('/grpc.health.v1.Health/Check', asIs, asIs, request, { deadline }, (error) => {
      client.close();
      resolve(error === null);
    });
  });
}
