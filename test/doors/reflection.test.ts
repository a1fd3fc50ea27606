import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  create,
  createFileRegistry,
  type DescMessage,
  type FileRegistry,
  fromBinary,
  fromJson,
  type JsonValue,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials } from '@grpc/grpc-js';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRpcs } from '../../server/doors/rpc/rpcs.ts';
import { noAudit } from './no-audit.ts';
import { noCredentials } from './no-credentials.ts';
import { noStopVerbs } from './no-stops.ts';
import { noWebhooks } from './no-webhooks.ts';
import { type OpenDoors, openDoors } from './open-doors.ts';

const packages = createRequire(import.meta.resolve('../../server/main.ts'));
const healthProtos = join(dirname(packages.resolve('grpc-health-check')), '../../proto');
const reflectionProtos = join(dirname(packages.resolve('@grpc/reflection')), '../proto');

let doors: OpenDoors;
/** Health and reflection, as buf compiles what their libraries bring. */
let standard: FileDescriptorProto[];
let registry: FileRegistry;

beforeAll(async () => {
  doors = await openDoors();
  standard = [...(await compiled(healthProtos, 'health')), ...(await compiled(reflectionProtos, 'grpc'))];
  registry = createFileRegistry(create(FileDescriptorSetSchema, { file: standard }));
});
afterAll(() => doors.close(1000));

async function compiled(directory: string, folder: string): Promise<FileDescriptorProto[]> {
  const out = await mkdtemp(join(tmpdir(), 'tether-reflection-'));
  try {
    const file = join(out, 'set.binpb');
    const options = [
      '--path',
      join(directory, folder),
      '--as-file-descriptor-set',
      '--exclude-source-info',
      '-o',
      file,
    ];
    await promisify(execFile)('node_modules/.bin/buf', ['build', directory, ...options]);
    return fromBinary(FileDescriptorSetSchema, await readFile(file)).file;
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

/** One question over a stream of its own, by a client that knows the standard and nothing of us. */
async function ask(version: 'v1' | 'v1alpha', question: JsonValue): Promise<Record<string, JsonValue>> {
  const service = registry.getService(`grpc.reflection.${version}.ServerReflection`);
  const method = service?.method.serverReflectionInfo ?? expect.fail(`there is no reflection ${version}`);
  const client = new Client(doors.grpcAddress, credentials.createInsecure());
  const write = (message: JsonValue) => Buffer.from(toBinary(method.input, fromJson(method.input, message)));
  const read = (bytes: Buffer) => toJson(method.output as DescMessage, fromBinary(method.output, bytes));
  const call = client.makeBidiStreamRequest(`/${service?.typeName}/${method.name}`, write, read);
  call.write(question);
  call.end();
  const answers: Record<string, JsonValue>[] = await call.toArray();
  client.close();
  return answers[0] ?? expect.fail('no answer came');
}

function filesIn(answer: Record<string, JsonValue>): FileDescriptorProto[] {
  const { fileDescriptorProto } = answer.fileDescriptorResponse as { fileDescriptorProto: string[] };
  return fileDescriptorProto.map((text) => fromBinary(FileDescriptorProtoSchema, Buffer.from(text, 'base64')));
}

test.each(['v1', 'v1alpha'] as const)('%s lists what is served, and nothing that others implement', async (version) => {
  const { listServicesResponse } = await ask(version, { listServices: '*' });
  const { service } = listServicesResponse as { service: { name: string }[] };
  const rpcs = createRpcs({
    lifecycle: doors.script,
    credentials: noCredentials,
    stops: noStopVerbs,
    audit: noAudit,
    webhooks: noWebhooks,
  });
  const ours = new Set(rpcs.map(({ method }) => method.parent.typeName));
  expect(service.map(({ name }) => name).sort()).toEqual([
    'grpc.health.v1.Health',
    'grpc.reflection.v1.ServerReflection',
    'grpc.reflection.v1alpha.ServerReflection',
    ...[...ours].sort(),
  ]);
  expect(ours).toContain('tether.v1.ActionService');
});

test.each(['v1', 'v1alpha'] as const)(
  '%s hands out, by a symbol and then by file names, all that a client needs to make a call',
  async (version) => {
    const known = new Map<string, FileDescriptorProto>();
    const learn = (answer: Record<string, JsonValue>) => {
      for (const file of filesIn(answer)) known.set(file.name, file);
    };
    learn(await ask(version, { fileContainingSymbol: 'tether.v1.ActionService' }));
    for (let asked = 0; asked < 50; asked++) {
      const missing = [...known.values()].flatMap(({ dependency }) => dependency).find((name) => !known.has(name));
      if (missing === undefined) break;
      learn(await ask(version, { fileByFilename: missing }));
    }
    const learnt = createFileRegistry(create(FileDescriptorSetSchema, { file: inOrder([...known.values()]) }));
    const service = learnt.getService('tether.v1.ActionService');
    expect(service?.methods.map(({ name }) => name)).toEqual(ActionService.methods.map(({ name }) => name));
    // What was learnt has to carry a real call: a message written by it is read by the contract.
    const input = learnt.getMessage('tether.v1.ConfirmRequest') ?? expect.fail('Confirm has no request');
    const request = { actionId: 'a', expectedAttempts: 0 };
    const bytes = toBinary(input, fromJson(input, request));
    const { input: ours } = ActionService.method.confirm;
    expect(toJson(ours, fromBinary(ours, bytes))).toEqual(request);
  },
);

/** Imports before what imports them. */
function inOrder(files: readonly FileDescriptorProto[]): FileDescriptorProto[] {
  const sorted: FileDescriptorProto[] = [];
  const add = (file: FileDescriptorProto | undefined) => {
    if (file === undefined || sorted.includes(file)) return;
    for (const name of file.dependency) add(files.find((each) => each.name === name));
    sorted.push(file);
  };
  for (const file of files) add(file);
  return sorted;
}

test('health and reflection themselves are handed out as the libraries’ protos say', async () => {
  for (const symbol of ['grpc.health.v1.Health', 'grpc.reflection.v1.ServerReflection']) {
    const [file] = filesIn(await ask('v1', { fileContainingSymbol: symbol }));
    const { name, service } = standard.find((each) => each.name === file?.name) ?? expect.fail(`${symbol} is unknown`);
    expect(file).toMatchObject({ name, service });
  }
});

test('the committed descriptors are what buf makes of the libraries’ protos', async () => {
  const bytes = toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: standard }));
  const text = Buffer.from(bytes)
    .toString('base64')
    .replace(/.{1,120}/g, '$&\n');
  await expect(text).toMatchFileSnapshot('../../server/doors/grpc/standard-services.b64');
});

test('a symbol that there is not is answered as not found', async () => {
  const { errorResponse } = await ask('v1', { fileContainingSymbol: 'tether.v1.NoSuchThing' });
  expect(errorResponse).toMatchObject({ errorCode: 5 });
});
