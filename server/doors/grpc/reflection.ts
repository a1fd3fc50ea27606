import { readFileSync } from 'node:fs';
import { type DescFile, type DescService, fromBinary, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { Server } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';

/**
 * Serves `grpc.reflection.v1.ServerReflection` (and v1alpha, which older tools ask for), so that a client that knows nothing of
 * us can find out what to call. Anybody may ask: the contract is no secret. What others implement is not listed.
 */
export function addReflection(server: Pick<Server, 'addService'>, services: readonly DescService[]): void {
  const files = new Set<DescFile>();
  for (const { file } of services) collect(file, files);
  const ours = [...files].map(({ proto }) => Buffer.from(toBinary(FileDescriptorProtoSchema, proto)));
  // The library takes the descriptors from beside whatever types a package holds, and looks at nothing else of them.
  const format = 'Protocol Buffer 3 DescriptorProto' as const;
  const described = { format, type: {}, fileDescriptorProtos: [...ours, ...standardFiles()] };
  new ReflectionService({ described }).addToServer(server);
}

/** A file and everything that it imports, imports first. */
function collect(file: DescFile, into: Set<DescFile>): void {
  for (const each of file.dependencies) collect(each, into);
  into.add(file);
}

/**
 * Health and reflection themselves, as buf compiles the libraries' `.proto` files: the descriptors that the libraries make at
 * run time are not well-formed for every client.
 */
function standardFiles(): Buffer[] {
  const text = readFileSync(new URL('./standard-services.b64', import.meta.url), 'utf8');
  const { file } = fromBinary(FileDescriptorSetSchema, Buffer.from(text, 'base64'));
  return file.map((each) => Buffer.from(toBinary(FileDescriptorProtoSchema, each)));
}
