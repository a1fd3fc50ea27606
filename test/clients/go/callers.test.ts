import { expect, test } from 'vitest';
import { openClientPlace } from '../harness/place.ts';
import { toolchain } from '../toolchain.ts';
import { directVendor } from './directed-vendor.ts';
import { goRuns, goTest } from './go.ts';

test.runIf(await toolchain('go', ['version']))(
  'callers in Go are kept every promise, by a real server',
  goRuns,
  async () => {
    const place = await openClientPlace();
    const vendor = await directVendor(place.endpoint);
    try {
      const { grpcAddress } = await place.server();
      const { passed } = await goTest('.', {
        HARNESS_GRPC_ADDRESS: grpcAddress,
        HARNESS_AGENT_KEY: place.keys.agent,
        HARNESS_APPROVER_KEY: place.keys.approver,
        HARNESS_VENDOR_URL: vendor.url,
      });
      expect(passed).toBeGreaterThan(10);
    } finally {
      await vendor.close();
      await place.close();
    }
  },
);
