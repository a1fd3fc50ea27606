import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DescField, FileRegistry } from '@bufbuild/protobuf';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { file_tether_v1_action_service as contract } from '@tether/proto/tether/v1/action_service_pb.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const rulesFile = 'buf/validate/validate.proto';

let copy: string;
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'tether-rules-'));
  await cp(join(root, 'proto-rules'), copy, { recursive: true });
});
afterAll(() => rm(copy, { recursive: true }));

async function compile(directory: string): Promise<FileRegistry> {
  const buf = join(root, 'node_modules/.bin/buf');
  const options = { cwd: directory, encoding: 'buffer', maxBuffer: 10_000_000 } as const;
  const { stdout } = await promisify(execFile)(buf, ['build', '.', '--as-file-descriptor-set', '-o', '-'], options);
  return createFileRegistry(fromBinary(FileDescriptorSetSchema, stdout));
}

/** What the generated code links: the whole of the installed package's own descriptor. */
const installedFile = contract.dependencies.find(({ proto }) => proto.name === rulesFile);
if (installedFile === undefined) throw new Error(`the contract does not import ${rulesFile}`);
const installed = createFileRegistry(
  installedFile.proto,
  (name) => installedFile.dependencies.find(({ proto }) => proto.name === name)?.proto,
);

/** What decides how a rule is read: its number, its type, and the oneof it is in. */
function shapeOf(field: DescField | undefined): unknown {
  if (field === undefined) return 'not there';
  const { number, proto, oneof } = field;
  return { number, type: proto.type, label: proto.label, typeName: proto.typeName, oneof: oneof?.name };
}

/** Each rule and option of ours beside the installed one, where they differ. */
function differences(ours: FileRegistry): unknown[] {
  const file = ours.getFile(rulesFile);
  const rules = (file?.messages ?? []).flatMap(({ typeName, fields }) =>
    fields.map((field) => ({
      name: `${typeName}.${field.name}`,
      ours: shapeOf(field),
      installed: shapeOf(installed.getMessage(typeName)?.fields.find(({ name }) => name === field.name)),
    })),
  );
  const options = (file?.extensions ?? []).map((option) => {
    const other = installed.getExtension(option.typeName);
    return {
      name: option.typeName,
      ours: [option.number, option.extendee.typeName, option.message?.typeName],
      installed: other && [other.number, other.extendee.typeName, other.message?.typeName],
    };
  });
  expect(rules.length).toBeGreaterThan(10);
  expect(options.length).toBeGreaterThan(1);
  return [...rules, ...options].filter((each) => JSON.stringify(each.ours) !== JSON.stringify(each.installed));
}

test('the rules that the contract is compiled with have the numbers and types of the installed protovalidate', async () => {
  expect(differences(await compile(copy))).toEqual([]);
});

test('a rule with another number, type or name would be noticed', async () => {
  const path = join(copy, rulesFile);
  const text = await readFile(path, 'utf8');
  const changed = text
    .replace('FieldRules field = 1159', 'FieldRules field = 1160')
    .replace('uint64 max_len = 3', 'uint64 max_len = 4')
    .replace('string pattern = 6', 'bytes pattern = 6')
    .replace('bool defined_only = 2', 'bool only_defined = 2');
  await writeFile(path, changed);
  expect(differences(await compile(copy))).toMatchObject([
    { name: 'buf.validate.StringRules.max_len' },
    { name: 'buf.validate.StringRules.pattern' },
    { name: 'buf.validate.EnumRules.only_defined' },
    { name: 'buf.validate.field' },
  ]);
});
