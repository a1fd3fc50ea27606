/**
 * Writes the OpenAPI document of the JSON door; with `--print`, to the standard output. Its sentences are those of the `.proto`
 * files, which the descriptors in gen/ do not carry, so that buf is asked for some that do.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { getComments } from '@bufbuild/protoplugin';
import { openApiDocument } from '../server/doors/json/openapi.ts';
import { renamedIn } from '../server/doors/json/own-words.ts';
import { routes } from '../server/doors/json/routes.ts';
import { execute } from './check/step.ts';
import { openApiFile } from './openapi-is-current.ts';

const comments = await commentsOfContract();
const document = openApiDocument((name) => renamedIn(comments.get(name) ?? ''));
const text = `${JSON.stringify(document, undefined, 2)}\n`;
if (process.argv.includes('--print')) process.stdout.write(text);
else await writeFile(openApiFile, text);

/** By the full name of a message, field, service or RPC. */
async function commentsOfContract(): Promise<ReadonlyMap<string, string>> {
  const directory = await mkdtemp(join(tmpdir(), 'tether-openapi-'));
  try {
    const file = join(directory, 'contract.binpb');
    const sources = new Set(routes.map(({ method }) => `proto/${method.parent.file.name}.proto`));
    const only = [...sources].flatMap((source) => ['--path', source]);
    const built = await execute('buf', ['build', '--as-file-descriptor-set', '-o', file, ...only]);
    if (!built.ok) throw new Error(built.output);
    const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, await readFile(file)));
    const found = new Map<string, string>();
    for (const desc of registry) {
      if (desc.kind === 'message') {
        found.set(desc.typeName, sentence(getComments(desc)));
        for (const field of desc.fields) found.set(`${desc.typeName}.${field.name}`, sentence(getComments(field)));
      }
      if (desc.kind === 'service')
        for (const rpc of desc.methods) found.set(`${desc.typeName}.${rpc.name}`, sentence(getComments(rpc)));
    }
    return found;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function sentence({ leading }: ReturnType<typeof getComments>): string {
  return (leading ?? '').trim().replace(/\s*\n\s*/g, ' ');
}
