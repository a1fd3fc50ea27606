/** The scripted harness (test/clients/harness/README.md) with the client, wherever it runs. */
import type { TetherClient, WatchUpdate } from '@tether/client';

export async function playHarness(client: TetherClient, print: (line: string) => void): Promise<void> {
  const read = await client.call({ tool: 'get_ticket', arguments: { ticket_id: 'T-1' } });
  if (read.kind !== 'read') throw new Error('a read was staged');
  print(`read get_ticket T-1: ${member(read.result, 'status')}`);

  const leaving = new AbortController();
  const settled = settledIn(client.watch({}, { signal: leaving.signal }));
  for (const ticket of ['T-1', 'T-2', 'T-3', 'T-4']) {
    const staged = await client.call({ tool: 'void_ticket', arguments: { ticket_id: ticket } });
    if (staged.kind !== 'write') throw new Error('a write was not staged');
    print(`propose void_ticket ${ticket}: ${staged.action.state}`);

    for (;;) {
      const next = await settled.next();
      if (next.done) throw new Error('the watch ended');
      if (next.value === staged.action.id) break;
    }
    const told: unknown = JSON.parse((await client.get({ actionId: staged.action.id })).modelJson);
    const error = member(told, 'error');
    const came =
      error === undefined
        ? `result.status=${member(member(told, 'result'), 'status')}`
        : `error=${error} retryable=${member(told, 'retryable')}`;
    print(`outcome void_ticket ${ticket}: ${member(told, 'state')} effect=${member(told, 'effect')} ${came}`);
  }
  leaving.abort();
}

/** The ids of actions that wait for nobody and are not under way, as the watch tells them. */
async function* settledIn(updates: AsyncIterable<WatchUpdate>): AsyncGenerator<string> {
  for await (const update of updates) {
    const action = update.kind === 'current' ? undefined : update.action;
    if (action !== undefined && action.state !== 'PENDING' && action.state !== 'EXECUTING') yield action.id;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
