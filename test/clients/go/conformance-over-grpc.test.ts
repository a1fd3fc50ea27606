import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../support/database.ts';
import { checkEndpoint, those } from '../endpoint-check/checked.ts';
import { toolchain } from '../toolchain.ts';
import { go, goRuns } from './go.ts';
import { startVendorProgram } from './vendor-program.ts';

test.runIf(await toolchain('go', ['version']))('a vendor in Go keeps its side over gRPC too', goRuns, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tether-go-grpc-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await go(['build', '-o', `${directory}/`, './internal/grpcvendor']);
  const database = await createDatabase({ empty: true });
  onTestFinished(() => database.drop());
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const env = { DATABASE_URL: database.url, SIGNING_SECRET: secret };
  const vendor = await startVendorProgram(join(directory, 'grpcvendor'), env);
  onTestFinished(() => vendor.close());
  const args = [
    ...['--tool', 'void_over_grpc', '--args', '{"ticket_id":"T-{{number}}"}', '--refused-args', '{"ticket_id":"T-0"}'],
    ...['--read', 'get_over_grpc', '--read-args', '{"ticket_id":"T-1"}', '--probe', '--signing-secret-env', 'SECRET'],
  ];
  const report = await checkEndpoint({ url: `http://127.0.0.1:${vendor.port}`, transport: 'grpc' }, args, {
    SECRET: secret,
  });
  expect({ failed: those(report, 'failed'), warned: those(report, 'warned') }).toEqual({ failed: {}, warned: {} });
  expect(Object.keys(those(report, 'skipped'))).toEqual(['bearer-required']);
});
