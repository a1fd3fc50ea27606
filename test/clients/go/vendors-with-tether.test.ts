import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ActionState } from '@tether/proto/tether/v1/action_pb.ts';
import { ConfirmStatus } from '@tether/proto/tether/v1/action_service_pb.ts';
import { Effect } from '@tether/proto/tether/v1/effect_pb.ts';
import { ProbeDisposition } from '@tether/proto/tether/v1/probe_disposition_pb.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServerProcess } from '../../faults/server-process.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { type ClientPlace, openClientPlace } from '../harness/place.ts';
import { toolchain } from '../toolchain.ts';
import { go, goRuns } from './go.ts';
import { startVendorProgram, type VendorProgram } from './vendor-program.ts';

const here = await toolchain('go', ['version']);
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

let directory: string;
let books: TestDatabase;
let place: ClientPlace;
let json: VendorProgram;
let grpc: VendorProgram;
const secret = newSecret();

beforeAll(async () => {
  if (!here) return;
  directory = await mkdtemp(join(tmpdir(), 'tether-go-'));
  await go(['build', '-o', `${directory}/`, './examples/endpoint', './internal/grpcvendor']);
  books = await createDatabase({ empty: true });
  place = await openClientPlace();
  const env = { DATABASE_URL: books.url, SIGNING_SECRET: secret };
  json = await startVendorProgram(join(directory, 'endpoint'), env);
  grpc = await startVendorProgram(join(directory, 'grpcvendor'), env);
}, goRuns.timeout);

afterAll(async () => {
  if (!here) return;
  await Promise.all([json.close(), grpc.close()]);
  await place.close();
  await books.drop();
  await rm(directory, { recursive: true, force: true });
});

/** Tether, with tools of the JSON vendor and, with `_over_grpc` in their names, of the gRPC one. */
async function tether(signedWith: string = secret): Promise<ServerProcess> {
  const catalog = join(directory, `${randomBytes(4).toString('hex')}.yaml`);
  const signing = 'signing_secrets: ["$' + '{env:VENDOR_SECRET}"], probe: true';
  const input = '{ type: object, required: [ticket_id], properties: { ticket_id: { type: string } } }';
  const write = `is_write: true, description: Void an open ticket., input: ${input}`;
  await writeFile(
    catalog,
    `
version: 1
endpoints:
  json: { transport: json, url: "http://127.0.0.1:${json.port}", ${signing} }
  grpc: { transport: grpc, url: "http://127.0.0.1:${grpc.port}", ${signing} }
tools:
  get_ticket: { endpoint: json, description: One ticket., input: ${input} }
  void_ticket: { endpoint: json, ${write} }
  void_over_grpc: { endpoint: grpc, ${write} }
`,
  );
  return place.server({ TETHER_CATALOG: catalog, VENDOR_SECRET: signedWith });
}

/** Proposes and confirms a write of its own; resolves with what came of it. */
async function confirmed({ agent, approver }: ServerProcess, tool: string, ticket: string) {
  const { action } = await agent.stage({ tool, argumentsJson: JSON.stringify({ ticket_id: ticket }) });
  return approver.confirm({ actionId: action?.id ?? '', expectedAttempts: 0 });
}

test.runIf(here)('Tether reaches a vendor in Go over JSON and over gRPC, signed', goRuns, async () => {
  const server = await tether();
  const overJson = await confirmed(server, 'void_ticket', 'T-1');
  expect(overJson).toMatchObject({
    status: ConfirmStatus.EXECUTED,
    resultJson: '{"ticket_id":"T-1","status":"void"}',
  });
  const refused = await confirmed(server, 'void_ticket', 'T-3');
  expect(refused).toMatchObject({ status: ConfirmStatus.REFUSED, error: { code: 'ticket_not_open' } });
  expect(refused.error).toMatchObject({ receivedJson: '"paid"', acceptedJson: ['"open"'], effect: Effect.NONE });
  const overGrpc = await confirmed(server, 'void_over_grpc', 'T-1');
  expect(overGrpc.status).toBe(ConfirmStatus.EXECUTED);
  await server.stop();
});

test.runIf(here)('a vendor in Go does nothing for whoever does not know its secret', goRuns, async () => {
  const server = await tether(newSecret());
  for (const tool of ['void_ticket', 'void_over_grpc']) {
    const turnedAway = await confirmed(server, tool, 'T-2');
    expect(turnedAway).toMatchObject({ status: ConfirmStatus.FAILED_RETRYABLE, error: { effect: Effect.NONE } });
  }
  expect(await books.query("select status from tickets where id = 'T-2'")).toEqual([{ status: 'open' }]);
  await server.stop();
});

test.runIf(here)(
  'a vendor in Go that is killed between its write and its answer tells afterwards what it did',
  goRuns,
  async () => {
    const server = await tether();
    await books.query("insert into tickets values ('T-7', 'open')");
    json.killAtNextAnswer();
    const lost = await confirmed(server, 'void_ticket', 'T-7');
    expect(lost.status).toBe(ConfirmStatus.INDETERMINATE);
    await json.start();
    const id = lost.action?.id ?? '';
    const { disposition, settled, action } = await server.approver.probeNow({ actionId: id });
    expect({ disposition, settled }).toEqual({ disposition: ProbeDisposition.EXECUTED, settled: true });
    expect(action).toMatchObject({ state: ActionState.SUCCEEDED, effect: Effect.APPLIED });
    const key = id.replaceAll('-', '');
    const rows = await books.query('select state, result from tether_ledger where key = $1', [key]);
    expect(rows).toEqual([{ state: 'applied', result: action?.resultJson }]);
    await server.stop();
  },
);
