/** A vendor's endpoint over a database, for tests of what its callers see. */
import { createSecretKey, randomBytes } from 'node:crypto';
import {
  type Answered,
  createEndpoint,
  type Endpoint,
  type EndpointOptions,
  jsonText,
  refuse,
  type Tools,
} from '@tether/endpoint';
import { pgLedger } from '@tether/endpoint/pg';
import type pg from 'pg';
import { onTestFinished } from 'vitest';
import type { WriteCall } from '../../../server/lifecycle/ports/dispatcher.ts';
import { dispatcherTo, settingsOf, writeCall } from '../../dispatch/calls.ts';
import { newKey } from './ledger-calls.ts';
import { poolOf } from './ledgers.ts';
import type { Served } from './servers.ts';

export interface Shop {
  readonly endpoint: Endpoint;
  readonly pool: pg.Pool;
  readonly answered: readonly Answered[];
}

export const secret = newSecret();

export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** `charge` inserts a row and answers with it; whatever else is asked of it, it does too. */
function tools(pool: pg.Pool): Tools<pg.PoolClient> {
  return {
    get_charges: {
      async handle({ account }: { account: string }) {
        const { rows } = await pool.query('select account, amount from charges where account = $1', [account]);
        return { charges: rows, returned: rows.length };
      },
    },
    look: { handle: async (args, { signal: _, ...call }) => ({ args, call }) },
    fail_to_look: {
      handle() {
        throw new Error('connection to 10.0.0.7 refused');
      },
    },
    refuse_to_look: {
      handle() {
        throw refuse(reason);
      },
    },
    large: { handle: ({ size }) => 'x'.repeat(Number(size) - 2) },
    charge: {
      isWrite: true,
      async handle({ account, amount, andThen, size }, { tx, attempt, actionId }) {
        await tx.query('insert into charges (account, amount) values ($1, $2)', [account, amount]);
        if (andThen === 'refuse') throw refuse(reason);
        if (andThen === 'fail') throw new Error('connection to 10.0.0.7 refused');
        if (andThen === 'error member') return { error: 'no, after all' };
        if (andThen === 'big integer') return jsonText('{ "order": 9007199254740993 }');
        if (andThen === 'nothing') return undefined;
        if (size !== undefined) return 'x'.repeat(Number(size) - 2);
        return { account, amount, attempt, actionId };
      },
    },
  };
}

const reason = {
  code: 'amount_exceeds_limit',
  message: 'Amount 8500 exceeds 5000.',
  field: 'amount',
  received: 8500,
  limit: 5000,
  accepted: [1, { upTo: 5000 }],
  retryable: true,
  retryAfterSeconds: 2.5,
  alternatives: [
    { action: 'split', tool: 'charge', arguments: { amount: 5000 }, description: 'In two.', fee_usd: 1, why: ['€'] },
    { action: 'ask' },
  ],
};

export function openShop(url: string, options: Partial<EndpointOptions<pg.PoolClient>> = {}): Shop {
  const pool = poolOf(url);
  onTestFinished(() => pool.end());
  const answered: Answered[] = [];
  const endpoint = createEndpoint<pg.PoolClient>({
    ledger: pgLedger(pool),
    tools: tools(pool),
    signingSecrets: secret,
    onAnswered: (each) => answered.push(each),
    ...options,
  });
  return { endpoint, pool, answered };
}

/** Tether's own client, which signs with these secrets. */
export function tetherTo({ url, transport }: Served, secrets: readonly string[] = [secret]) {
  const signingKeys = secrets.map((each) => createSecretKey(Buffer.from(each.slice('whsec_'.length), 'base64')));
  return dispatcherTo(settingsOf(url, { transport, ...(signingKeys.length > 0 && { signingKeys }) }));
}

/** A confirmed write of `charge`, under a key of its own that is also the account. */
export function chargeCall(args: Record<string, unknown> = {}, overrides: Partial<WriteCall> = {}): WriteCall {
  const requestId = overrides.requestId ?? newKey();
  return writeCall({
    ...{ requestId, tool: 'charge', arguments: JSON.stringify({ account: requestId, amount: 7, ...args }) },
    deadline: new Date(Date.now() + 60_000),
    ...overrides,
  });
}
