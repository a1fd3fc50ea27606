/** `npm run pack`: the packages that are published, as tarballs in `packed/`, or in the folder that is named. docs/publishing.md. */
import { resolve } from 'node:path';
import { packAll } from './pack/pack-all.ts';
import { root } from './pack/packages.ts';

const out = resolve(root, process.argv[2] ?? 'packed');
for (const { name, version, path, size, unpackedSize, integrity, files } of await packAll(out)) {
  console.log(`\n${name} ${version}: ${path}`);
  console.log(`${files.length} files, ${size} bytes, ${unpackedSize} unpacked, integrity ${integrity}`);
  for (const file of files) console.log(`  ${file}`);
}
