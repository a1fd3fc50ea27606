/**
 * A vendor's endpoint in a process of its own, with tickets that reads tell and writes change, a ledger that answers probes,
 * and whatever the test wants it to do with the next calls about a ticket.
 *
 *   const vendor = await startVendor();
 *   await vendor.put('T-1', { status: 'open', total_usd: 12 });
 *   await vendor.next('T-1', 'execute', [{ held: true }]);    // the write hangs …
 *   await vendor.letGo('T-1');                                // … until now
 *   await vendor.calls('T-1');
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Books } from './vendor/books.ts';
import type { Ask, Reply, Verb } from './vendor/messages.ts';

type Remote = {
  readonly [V in Verb]: (...parameters: Parameters<Books[V]>) => Promise<Awaited<ReturnType<Books[V]>>>;
};

export interface VendorProcess extends Remote {
  /** Where the catalog finds it. */
  readonly url: string;
  close(): Promise<void>;
}

export async function startVendor(): Promise<VendorProcess> {
  // Dates and big integers travel as they are.
  const child = fork(new URL('./vendor/main.ts', import.meta.url), { serialization: 'advanced' });
  const asked = new Map<number, PromiseWithResolvers<unknown>>();
  const ready = Promise.withResolvers<string>();
  child.on('message', (reply: Reply) => {
    if (reply.kind === 'ready') return ready.resolve(reply.url);
    const waiting = asked.get(reply.id);
    asked.delete(reply.id);
    if (reply.kind === 'answer') waiting?.resolve(reply.value);
    else waiting?.reject(new Error(reply.message));
  });
  const gone = once(child, 'exit').then(() => {
    const error = new Error("the vendor's process has ended");
    ready.reject(error);
    for (const waiting of asked.values()) waiting.reject(error);
  });

  let lastId = 0;
  const ask = (verb: Verb, parameters: Ask['parameters']): Promise<unknown> => {
    lastId += 1;
    const waiting = Promise.withResolvers<unknown>();
    asked.set(lastId, waiting);
    const message: Ask = { id: lastId, verb, parameters };
    child.send(message);
    return waiting.promise;
  };
  // Both ends are this repository's own and run the same file: what comes back for a verb is what the verb returns.
  const verb = <V extends Verb>(name: V) => ((...parameters) => ask(name, parameters)) as Remote[V];

  return {
    url: await ready.promise,
    put: verb('put'),
    ticket: verb('ticket'),
    next: verb('next'),
    always: verb('always'),
    letGo: verb('letGo'),
    calls: verb('calls'),
    probes: verb('probes'),
    applied: verb('applied'),
    arrived: verb('arrived'),
    async close() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
