import { createTetherClient } from '@tether/client';
import { grpcTransport } from '@tether/client/node';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { authority, caller, server } from '../../dispatch/certificates.ts';
import { filesOfTls } from '../../doors/tls-files.ts';
import { type ClientPlace, openClientPlace } from '../harness/place.ts';
import { failureOf } from './failure-of.ts';

vi.setConfig({ testTimeout: 120_000 });

let place: ClientPlace;
beforeAll(async () => {
  place = await openClientPlace();
});
afterAll(() => place.close());

test('gRPC over TLS takes an authority of one’s own, and shows a certificate where one is asked for', async () => {
  const files = await filesOfTls({ ...server, clientCa: authority });
  const { grpcAddress } = await place.server({
    ...{ TETHER_TLS_CERT: files.cert, TETHER_TLS_KEY: files.key, TETHER_TLS_CLIENT_CA: files.clientCa ?? '' },
  });
  const url = `https://${grpcAddress}`;
  const key = place.keys.agent;
  const tls = { ca: authority, ...caller };
  expect(await createTetherClient({ transport: grpcTransport({ url, tls }), key }).listTools()).toHaveLength(2);

  for (const missing of [undefined, { ca: authority }]) {
    const client = createTetherClient({ transport: grpcTransport({ url, tls: missing }), key, retry: { repeats: 0 } });
    expect(await failureOf(client.listTools())).toMatchObject({ answered: false, effect: 'NONE' });
  }
});
