/** Calls of a ledger, as an endpoint would make them. */
import { randomBytes } from 'node:crypto';
import type { Question, Write } from '@tether/endpoint';
import { Refusal } from '@tether/endpoint';
import type { Charging } from './ledgers.ts';

export function newKey(): string {
  return randomBytes(16).toString('hex');
}

export function writeOf(overrides: Partial<Write> = {}): Write {
  return {
    ...{ key: newKey(), tenant: 'acme', tool: 'charge', argumentsDigest: 'sha256:00', attempt: 1 },
    deadline: new Date(Date.now() + 60_000),
    ...overrides,
  };
}

export function questionOf({ key, tenant, tool, attempt }: Write): Question {
  return { key, tenant, tool, attempt };
}

/** How the endpoint tells a refusal from any other error. */
export function refuseBy(error: unknown) {
  if (!(error instanceof Refusal)) return undefined;
  const { code, message, effect = 'none' } = error.reason;
  return { code, message, effect, retryable: false } as const;
}

/** Charges the account that is named like the key, once or as often as it is let. */
export function chargeOnce<Tx>(
  { ledger, charge }: Charging<Tx>,
  write: Write,
  then: (tx: Tx) => Promise<string> = async () => '{"charged":true}',
) {
  return ledger.once(
    write,
    async (tx) => {
      await charge(tx, write.key, 7);
      return then(tx);
    },
    refuseBy,
  );
}
