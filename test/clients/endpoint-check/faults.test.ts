/** An endpoint with one fault fails the one check that is about it, and no other. */
import { expect, test, vi } from 'vitest';
import { servers } from '../endpoint/servers.ts';
import { checkEndpoint, those } from './checked.ts';
import { faults } from './faults.ts';
import { secret, shop, shopArgs } from './shop.ts';

vi.spyOn(console, 'warn').mockReturnValue();

const transports = ['node:http', 'connect over node:http', 'grpc-js'] as const;

async function checked(endpoint: ReturnType<typeof shop>, server: string) {
  const served = await servers[server]?.(endpoint);
  if (served === undefined) throw new Error(`no server ${server}`);
  return checkEndpoint(served, shopArgs, { SECRET: secret });
}

test.each(transports)('an endpoint without a fault passes every check, over %s', async (server) => {
  const report = await checked(shop(), server);
  expect({ ...those(report, 'failed'), ...those(report, 'warned') }).toEqual({});
  expect(those(report, 'skipped')).toEqual({ 'bearer-required': 'No bearer token was given.' });
  expect(report.code).toBe(0);
});

test.each(transports.flatMap((server) => Object.keys(faults).map((name) => [name, server] as const)))(
  'one that %s fails one check, over %s',
  async (name, server) => {
    const fault = faults[name];
    if (fault === undefined) throw new Error(`no fault ${name}`);
    const report = await checked(fault.make(), server);
    expect(those(report, 'failed')).toEqual({ [fault.fails]: expect.any(String) });
    expect(report.code).toBe(1);
  },
);
