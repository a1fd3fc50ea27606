import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTetherClient, type TetherClient, TetherError } from '@tether/client';
import { grpcTransport } from '@tether/client/node';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { answers } from '../../support/endpoint.ts';
import { type ClientPlace, openClientPlace } from '../harness/place.ts';
import { failureOf } from './failure-of.ts';

vi.setConfig({ testTimeout: 120_000 });

let place: ClientPlace;
let clients: Record<'connect' | 'grpc', { agent: TetherClient; approver: TetherClient }>;
beforeAll(async () => {
  place = await openClientPlace();
  const { httpUrl: url, grpcAddress } = await place.server();
  const transport = grpcTransport({ url: `http://${grpcAddress}` });
  const { agent, approver } = place.keys;
  clients = {
    connect: {
      agent: createTetherClient({ url, key: agent }),
      approver: createTetherClient({ url, key: approver }),
    },
    grpc: {
      agent: createTetherClient({ transport, key: agent }),
      approver: createTetherClient({ transport, key: approver }),
    },
  };
});
afterAll(() => place.close());

describe.each(['connect', 'grpc'] as const)('by %s', (protocol) => {
  test('an error has every field that the next call can be computed from', async () => {
    const { agent } = clients[protocol];
    const error = await failureOf(agent.call({ tool: 'void_tickets', arguments: {} }));
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      ...{ name: 'TetherError', code: 'TOOL_NOT_FOUND', status: 'NOT_FOUND', answered: true },
      ...{ effect: 'NONE', retryable: false, field: 'tool', received: 'void_tickets' },
    });
    expect(error.accepted).toContain('void_ticket');
    expect(error.message).toMatch(/void_tickets/);
    expect(error.requestId).toMatch(/^[\w-]{8,}$/);
  });

  test('a fault in the arguments names the argument, what came and what would do', async () => {
    const { agent } = clients[protocol];
    const error = await failureOf(agent.stage({ tool: 'void_ticket', arguments: { ticket_id: 17 } }));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', field: 'ticket_id', received: 17, effect: 'NONE' });
  });

  test('a wrong role and a wrong key are told apart', async () => {
    const { agent } = clients[protocol];
    const { action } = await agent.stage({ tool: 'void_ticket', arguments: { ticket_id: 'F-1' } });
    expect(await failureOf(agent.confirm({ action }))).toMatchObject({
      ...{ code: 'PERMISSION_DENIED', status: 'PERMISSION_DENIED', accepted: ['approver'] },
    });
  });

  test('a refusal of the endpoint is an outcome and no error, with the vendor’s own words', async () => {
    const { agent, approver } = clients[protocol];
    const ticket = `F-${protocol}`;
    const { action } = await agent.stage({ tool: 'void_ticket', arguments: { ticket_id: ticket } });
    place.endpoint.answerNext(
      answers.refusal({
        ...{ code: 'too_late', message: 'Closed at noon.', field: 'ticket_id', receivedJson: '"F-2"', limitJson: '12' },
        ...{ acceptedJson: ['9007199254740993'], retryable: true, retryAfterSeconds: 1.5 },
      }),
    );
    const { status, error } = await approver.confirm({ action });
    expect(status).toBe('REFUSED');
    expect(error).toMatchObject({ code: 'too_late', field: 'ticket_id', received: 'F-2', limit: 12, effect: 'NONE' });
    expect(error?.accepted.map(String)).toEqual(['9007199254740993']);
  });
});

test('a request that cannot be written is refused before it is sent, and not repeated', async () => {
  const error = await failureOf(clients.connect.approver.list({ pageSize: 1.5 }));
  expect(error).toMatchObject({ code: 'INVALID_REQUEST', effect: 'NONE', retryable: false, answered: false });
});

test('a server that is none of ours is told apart from an answer', async () => {
  const stranger = createServer((_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<p>'));
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  const { port } = stranger.address() as AddressInfo;
  const client = createTetherClient({ url: `http://127.0.0.1:${port}`, key: 'any' });
  const unknown = { answered: false, effect: 'UNKNOWN', status: 'UNIMPLEMENTED', retryable: false };
  expect(await failureOf(client.stage({ tool: 'void_ticket', arguments: {} }))).toMatchObject(unknown);
  expect(await failureOf(client.listTools())).toMatchObject({ ...unknown, effect: 'NONE' });
  stranger.closeAllConnections();
  stranger.close();
});

test('a TetherError is told from others by its class', () => {
  const error: unknown = new TetherError(
    { code: 'X', message: 'x', accepted: [], effect: 'NONE', retryable: false, alternatives: [] },
    { status: 'UNKNOWN', answered: false },
  );
  expect(error instanceof TetherError && error.code).toBe('X');
});
