import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { ActionId } from '../../server/domain/action.ts';
import type { Principal } from '../../server/domain/principal.ts';
import type { Tool } from '../../server/domain/tool.ts';
import { createLifecycle } from '../../server/lifecycle/create-lifecycle.ts';
import type { Dispatcher } from '../../server/lifecycle/ports/dispatcher.ts';
import type { EventLog } from '../../server/lifecycle/ports/events.ts';
import { createActionStore } from '../../server/store/actions/store.ts';
import type { Database } from '../../server/store/database.ts';
import { newArguments, tool } from '../wish.ts';

/** A statement as the store asked for it, to be asked again about another action. */
export interface Recorded {
  readonly name: string;
  readonly text: string;
  /** The recorded values, but for those that make this action another one. */
  valuesFor(action: Recast): unknown[];
}

/** What differs from one action to the next; what is left out stays as it was recorded. */
export interface Recast {
  readonly id: string;
  /** 32 bytes. */
  readonly intentHash?: Uint8Array;
  readonly arguments?: string;
  readonly result?: string;
}

const recordedResult = '{"status":"void","receipt":"R-0"}';

/**
 * Runs one stage and one confirm through the real lifecycle and store, and returns the statements that they came to, in
 * order: what the floors run is what the store runs, and stays so when the store changes.
 */
export async function recordLifecycle(pool: pg.Pool): Promise<readonly Recorded[]> {
  const asked: { name: string; text: string; values: readonly unknown[] }[] = [];
  const database: Database = {
    async run<Row extends object>({ name, text }: { name?: string; text: string }, values: readonly unknown[]) {
      if (name === undefined) throw new Error(`a statement of the hot path is not prepared: ${text}`);
      asked.push({ name, text, values });
      return (await pool.query<Row & pg.QueryResultRow>({ name, text, values: [...values] })).rows;
    },
  };
  const { id, args } = await once(database);
  return asked.map(({ name, text, values }) => ({
    name,
    text,
    valuesFor: (action) =>
      values.map((value) => {
        if (value === id) return action.id;
        if (value === args) return action.arguments ?? value;
        if (value === recordedResult) return action.result ?? value;
        // The only bytes among them are the intent's.
        return value instanceof Uint8Array ? (action.intentHash ?? value) : value;
      }),
  }));
}

async function once(database: Database): Promise<{ id: string; args: string }> {
  const lifecycle = createLifecycle({
    store: createActionStore(database),
    catalog: {
      find: (name) => (name === tool ? declared : undefined),
      names: () => [tool],
      endpoints: () => [],
      answersProbes: () => false,
    },
    dispatcher,
    clock: { monotonic: () => performance.now(), wall: Date.now, delay: async () => undefined },
    authorizer: { authorize: async () => ({ kind: 'allowed' }) },
    events: silentTrail,
    stops: { recent: async () => [], list: async () => [], stop: never, resume: never },
    retention: { actionsMs: 1, eventsMs: 1 },
    ids: { actionId: () => randomUUID() as ActionId },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  const { signal } = new AbortController();
  const args = newArguments();
  const proposal = { tool, argumentsJson: args, userId: 'u_7', scope: 'store-12' };
  const { action } = await lifecycle.stage(
    principal('agent'),
    { ...proposal, planId: '', requestId: '', ttlMs: undefined },
    signal,
  );
  const decision = { actionId: action.id, previewDigest: action.previewDigest, expectedAttempts: 0 };
  const { status } = await lifecycle.confirm(
    principal('approver'),
    { ...decision, idempotencyKey: '', acknowledgeHighRisk: false, acknowledgeIndeterminate: false },
    signal,
  );
  if (status !== 'EXECUTED') throw new Error(`the recorded confirm was ${status}`);
  return { id: action.id, args };
}

const declared: Tool = {
  name: tool,
  description: 'Void an open ticket.',
  endpoint: 'pos',
  isWrite: true,
  input: true,
  validate: () => undefined,
  summary: null,
  risk: 'normal',
  reversible: 'no',
  ttlSeconds: 900,
  timeoutSeconds: 20,
  value: null,
  fourEyes: false,
  precondition: null,
  verify: null,
  intent: null,
};

const silentTrail: EventLog = {
  read: async () => [],
  end: async () => ({ transaction: 0n, sequence: 0n }),
  listen: () => () => undefined,
};

const dispatcher: Dispatcher = {
  reserve: async () => ({ release: () => undefined }),
  write: async () => ({ kind: 'succeeded', result: recordedResult }),
  read: async () => {
    throw new Error('no read is declared');
  },
  probe: async () => {
    throw new Error('no probe is declared');
  },
};

function principal(role: 'agent' | 'approver'): Principal {
  return { tenantId: 'demo', credentialId: randomUUID(), userId: `demo-${role}`, role, scopes: null };
}

const never = () => Promise.reject(new Error('nothing is stopped in a benchmark'));
