/**
 * A vendor that tests in another process direct over HTTP. What it does with a write, the ticket's name says: `busy-…` turns the
 * first one away, `held-…` waits until it is let go, `big-…` answers with numbers that no double can hold.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answers, type Endpoint, type EndpointCall, type EndpointScript } from '../../support/endpoint.ts';
import { pointOfSale } from '../harness/point-of-sale.ts';

export interface DirectedVendor {
  /**
   * `GET /calls?ticket=…`: how many writes of it have come. `POST /let-go?ticket=…`: the one that is held goes on. `GET
   * /arrived?ticket=…`: answers once it is held.
   */
  readonly url: string;
  close(): Promise<void>;
}

export async function directVendor(endpoint: Endpoint): Promise<DirectedVendor> {
  const usual = pointOfSale();
  const arrived = gates();
  const letGo = gates();
  const script: EndpointScript = async (call) => {
    const ticket = ticketOf(call);
    if (!call.isWrite) return usual(call);
    arrived.of(ticket).resolve();
    if (ticket.startsWith('held-')) await letGo.of(ticket).promise;
    if (ticket.startsWith('busy-') && call.attempt === 1) return answers.http(429, '{"error":"busy"}');
    if (ticket.startsWith('big-')) return answers.result('{"total":9007199254740993,"rate":0.1000000000000000055}');
    return usual(call);
  };
  endpoint.answer(script);

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://vendor');
    const ticket = searchParams.get('ticket') ?? '';
    if (pathname === '/arrived') await arrived.of(ticket).promise;
    if (pathname === '/let-go') letGo.of(ticket).resolve();
    const calls = endpoint.calls.filter((call) => call.isWrite && ticketOf(call) === ticket);
    response.end(String(calls.length));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function ticketOf(call: EndpointCall): string {
  return String(JSON.parse(call.argumentsJson).ticket_id);
}

function gates() {
  const all = new Map<string, PromiseWithResolvers<void>>();
  return {
    of(name: string): PromiseWithResolvers<void> {
      const gate = all.get(name) ?? Promise.withResolvers<void>();
      all.set(name, gate);
      return gate;
    },
  };
}
