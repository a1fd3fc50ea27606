import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bundleForBrowsers } from '../bundle.ts';

/** Bytes, gzipped. */
const limit = 60_000;

test('a page that uses the client carries less than 60 KB for it, Connect-Web included, and nothing of Node or of the server', async () => {
  const code = await bundleForBrowsers(join(import.meta.dirname, 'whole-client.ts'));
  const bytes = gzipSync(code, { level: 9 }).byteLength;
  console.log(`the client with Connect-Web: ${code.length} bytes minified, ${bytes} gzipped (limit ${limit})`);
  expect(bytes).toBeLessThan(limit);
  // What a bundler puts in place of a module of Node's.
  expect(code).not.toMatch(/node:|__vite-browser-external|process\.env/);
});
