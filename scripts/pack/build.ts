import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'tsdown';
import { commandsOf, entriesOf, type Manifest } from './manifest.ts';
import { type PublishedPackage, root } from './packages.ts';

/**
 * Writes JavaScript and types of a package into a folder, file for file as its sources are: whoever bundles takes what they use,
 * and a stack names the file that somebody can look up. No package is bundled in, so that nothing is there twice; no source maps,
 * because the sources are not there. Throws when a file does not build, or imports what the package does not depend on.
 */
export async function buildInto(folder: string, published: PublishedPackage, manifest: Manifest): Promise<void> {
  const sources = join(root, published.folder, published.sources);
  const entries = entriesOf(published, manifest).map(({ source }) => source);
  const commands = [...commandsOf(published, manifest).values()];
  const code = [...entries, ...commands].filter((source) => source.endsWith('.ts'));
  await build({
    cwd: join(root, published.folder),
    config: false,
    tsconfig: false,
    entry: Object.fromEntries(code.map((source) => [source.replace(/\.ts$/, ''), join(sources, source)])),
    root: sources,
    outDir: folder,
    clean: false,
    format: 'esm',
    platform: 'node',
    fixedExtension: false,
    unbundle: true,
    sourcemap: false,
    minify: false,
    // What a program is for is its command: nobody imports it, so there are no types to give.
    dts: entries.length > 0 && { generator: 'oxc' },
    deps: { onlyBundle: [], onlyImport: neededBy(manifest) },
    plugins: [contractAsPublished()],
    logLevel: 'warn',
    failOnWarn: true,
    // How long a build takes is no fault of it.
    checks: { bundlerTimings: false },
  });
  const assets = [...entries.filter((source) => !source.endsWith('.ts')), ...(published.assets ?? [])];
  for (const asset of assets) {
    mkdirSync(dirname(join(folder, asset)), { recursive: true });
    cpSync(resolve(sources, asset), join(folder, asset));
  }
}

function neededBy({ dependencies, peerDependencies, optionalDependencies }: Manifest): string[] {
  return Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
}

/** In the workspace the generated code is imported as the TypeScript that it is; published, as JavaScript. */
function contractAsPublished() {
  const ours = /^@tether\/proto\/.*\.ts$/;
  return {
    name: 'contract-as-published',
    resolveId: {
      order: 'pre' as const,
      filter: { id: ours },
      handler: (id: string) => ({ id: id.replace(/\.ts$/, '.js'), external: true as const }),
    },
  };
}
