/** What the log is told of a call that failed: names, codes and words; never what was sent, received, or is secret. */
import { createSecretKey } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAuthorizer } from '../../server/dispatch/authorizer.ts';
import { createDispatcher } from '../../server/dispatch/dispatcher.ts';
import { type EndpointSettings, endpointTransports } from '../../server/domain/endpoint.ts';
import { createLog } from '../../server/telemetry/create-log.ts';
import { createScopes } from '../../server/telemetry/scopes.ts';
import { answers, startEndpoint } from '../support/endpoint.ts';
import { probeCall, readCall, settingsOf, writeCall } from './calls.ts';
import { approver, observed } from './petition.ts';
import { closedPort, perRequest, rawServer } from './raw-server.ts';

const secret = 's3cret';
const signing = Buffer.from(`${secret}-signing-${secret}-signing`);

/** Makes one call of each kind with secrets in every place, and returns the lines of a real log. */
async function logOf(declared: EndpointSettings, authorizerAt = declared.url): Promise<string[]> {
  const lines: string[] = [];
  const log = createLog('trace', createScopes(), { write: (line: string) => void lines.push(line) });
  const signingKeys = [createSecretKey(signing)];
  const settings = { ...declared, bearerToken: `${secret}-token`, signingKeys, timeoutMs: 500, maxAttempts: 1 };
  const dispatcher = createDispatcher({ endpoints: () => settings, log });
  const authorizer = createAuthorizer({ settings: () => ({ ...settings, url: authorizerAt }), log });
  onTestFinished(async () => void (await Promise.all([dispatcher.close(), authorizer.close()])));
  const args = `{"card":"${secret}-argument"}`;
  await dispatcher.write(writeCall({ arguments: args, timeoutMs: 500 }));
  await dispatcher.read(readCall({ arguments: args }));
  await dispatcher.probe(probeCall());
  const action = { ...observed.action, arguments: args };
  await authorizer.authorize({ ...observed, action }, approver, AbortSignal.timeout(5_000));
  expect(lines.join('')).not.toContain(signing.toString('base64'));
  return lines;
}

describe.each(endpointTransports)('over %s', (transport) => {
  test('of an endpoint that cannot be reached: the reason', async () => {
    const lines = await logOf(settingsOf(`http://127.0.0.1:${await closedPort()}`, { transport }));
    expect(lines.filter((line) => line.includes('ECONNREFUSED'))).toHaveLength(4);
    expect(lines.join('')).not.toContain(secret);
  });

  test('of one that answers what is no protocol, and sends back what it got: the reason', async () => {
    const server = await rawServer(
      () => undefined,
      perRequest((socket) => socket.end(`${secret}-token ${secret}-argument ${secret}-answer\r\n\r\n`)),
    );
    const lines = await logOf(settingsOf(server.url, { transport }));
    expect(lines.length).toBeGreaterThanOrEqual(4);
    expect(lines.join('')).not.toContain(secret);
  });

  test('of one that repeats what it was sent in its answer: nothing of it', async () => {
    const endpoint = await startEndpoint({ transport });
    onTestFinished(() => endpoint.close());
    const words = `${secret}-token ${secret}-argument`;
    const answer = transport === 'json' ? answers.http(200, `{${words}`) : answers.status('INTERNAL', words);
    endpoint.answer(answer);
    endpoint.answerProbe(answer);
    endpoint.answerPetition(answer);
    const lines = await logOf(endpoint.settings, endpoint.authorizerSettings.url);
    expect(lines.length).toBeGreaterThanOrEqual(1);
    expect(lines.join('')).not.toContain(secret);
  });

  test('of one that drops the connection: the request id', async () => {
    const endpoint = await startEndpoint({ transport });
    onTestFinished(() => endpoint.close());
    endpoint.answer(answers.reset());
    endpoint.answerProbe(answers.reset());
    endpoint.answerPetition(answers.reset());
    const lines = await logOf(endpoint.settings, endpoint.authorizerSettings.url);
    expect(lines.filter((line) => line.includes(writeCall().requestId))).not.toEqual([]);
    expect(lines.join('')).not.toContain(secret);
  });
});
