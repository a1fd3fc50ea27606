import { onTestFinished } from 'vitest';
import { type ClosableDispatcher, createDispatcher, type DispatcherOptions } from '../../server/dispatch/dispatcher.ts';
import type { ActionId } from '../../server/domain/action.ts';
import type { EndpointSettings } from '../../server/domain/endpoint.ts';
import type { ProbeCall, ReadCall, WriteCall } from '../../server/lifecycle/ports/dispatcher.ts';
import { type Endpoint, type EndpointOptions, startEndpoint } from '../support/endpoint.ts';

/** The name under which `dispatcherTo` knows its endpoint. */
const endpointName = 'endpoint';

/** A write as the lifecycle would hand it over. */
export function writeCall(overrides: Partial<WriteCall> = {}): WriteCall {
  return {
    endpoint: endpointName,
    requestId: '9c1e7b6a3f424a519d0e6b2c8f4a1d33',
    tool: 'void_ticket',
    arguments: '{"reason":"spilled","ticket_id":"T-4417"}',
    tenant: { id: 'acme', scope: 'store-12', userId: 'u_7' },
    actionId: '9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33' as ActionId,
    attempt: 1,
    deadline: new Date('2026-08-20T18:41:07.250Z'),
    timeoutMs: 5_000,
    maySend: () => true,
    ...overrides,
  };
}

export function readCall(overrides: Partial<ReadCall> = {}): ReadCall {
  return {
    endpoint: endpointName,
    tool: 'get_ticket',
    arguments: '{"ticket_id":"T-4417"}',
    tenant: { id: 'acme', scope: '', userId: '' },
    ...overrides,
  };
}

/** A question about the write of `writeCall`. */
export function probeCall(overrides: Partial<ProbeCall> = {}): ProbeCall {
  const { endpoint, requestId, tool, tenant, actionId } = writeCall();
  return { endpoint, requestId, tool, tenant, actionId, attempt: 1, ...overrides };
}

/** The fields of everything that was logged. */
export type Logged = Record<string, unknown>[];

/** A dispatcher to one endpoint that waits for nothing between attempts; closed with the test. */
export function dispatcherTo(
  settings: EndpointSettings,
  options: Partial<DispatcherOptions> = {},
): ClosableDispatcher & { readonly gaps: number[]; readonly logged: Logged } {
  const gaps: number[] = [];
  const logged: Logged = [];
  const dispatcher = createDispatcher({
    endpoints: (name) => (name === endpointName ? settings : undefined),
    delay: async (ms) => gaps.push(ms),
    log: { warn: (fields) => logged.push({ ...fields }) },
    ...options,
  });
  onTestFinished(() => dispatcher.close());
  return { ...dispatcher, gaps, logged };
}

/** An endpoint and a dispatcher to it, both gone with the test. */
export async function serve(options: EndpointOptions): Promise<{
  readonly endpoint: Endpoint;
  readonly dispatcher: ReturnType<typeof dispatcherTo>;
}> {
  const endpoint = await startEndpoint(options);
  onTestFinished(() => endpoint.close());
  return { endpoint, dispatcher: dispatcherTo(endpoint.settings) };
}

/** Settings of an endpoint that is nowhere, or no endpoint at all. */
export function settingsOf(url: string, overrides: Partial<EndpointSettings> = {}): EndpointSettings {
  return {
    ...{ name: endpointName, transport: 'json', url, timeoutMs: 5_000, maxAttempts: 3 },
    ...{ maxResponseBytes: 262_144, maxConcurrent: 64, probe: true },
    ...overrides,
  };
}
