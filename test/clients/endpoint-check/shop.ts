/** An endpoint that keeps its side, in memory; a fault is wrapped around it. */
import { createEndpoint, type Endpoint, refuse } from '@tether/endpoint';
import { memoryLedger } from '@tether/endpoint/memory';
import { newSecret } from '../endpoint/shop.ts';

export const secret = newSecret();

export interface ShopOptions {
  /** Milliseconds that a charge takes. */
  readonly work?: number;
  /** Length of what is added to each result. */
  readonly padding?: number;
  readonly now?: () => number;
}

export function shop({ work = 0, padding = 0, now }: ShopOptions = {}): Endpoint {
  let charges = 0;
  const more = padding > 0 ? { padding: 'x'.repeat(padding) } : {};
  return createEndpoint({
    ledger: memoryLedger(),
    signingSecrets: secret,
    maxResultBytes: 1_000_000,
    onAnswered: () => undefined,
    ...(now && { now }),
    tools: {
      count_charges: { handle: async () => ({ charges }) },
      charge: {
        isWrite: true,
        async handle({ account }) {
          if (account === 'closed') {
            throw refuse({ code: 'account_closed', message: 'Account closed is closed.', field: 'account' });
          }
          charges += 1;
          const charge = charges;
          if (work > 0) await new Promise((resolve) => setTimeout(resolve, work));
          return { account, charge, ...more };
        },
      },
    },
  });
}

/** How the kit is called against it. */
export const shopArgs: readonly string[] = [
  ...['--tool', 'charge', '--args', '{"account":"{{fresh}}"}', '--refused-args', '{"account":"closed"}'],
  ...['--read', 'count_charges', '--count-read', 'count_charges', '--count-pointer', '/charges'],
  ...['--signing-secret-env', 'SECRET', '--probe'],
];
