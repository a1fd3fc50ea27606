import { build } from 'vite';

/** One ES module for browsers, minified, with everything that an entry imports. */
export async function bundleForBrowsers(entry: string): Promise<string> {
  const built = await build({
    ...{ configFile: false, logLevel: 'warn', root: import.meta.dirname },
    build: {
      write: false,
      target: 'es2022',
      rolldownOptions: { input: entry, output: { minify: true } },
      modulePreload: false,
    },
  });
  const chunks = [built].flat().flatMap((each) => ('output' in each ? each.output : []));
  const [chunk, ...others] = chunks;
  if (chunk?.type !== 'chunk' || others.length > 0) throw new Error(`one module was expected, not ${chunks.length}`);
  return chunk.code;
}
