import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bundleForBrowsers } from '../bundle.ts';
import { transcript, withHarness } from '../harness/play.ts';
import { toolchain } from '../toolchain.ts';
import type { Way } from './page.ts';
import { type PageServer, servePage } from './page-server.ts';

vi.setConfig({ testTimeout: 120_000 });

const executablePath = '/usr/bin/chromium';
const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];

describe.runIf(await toolchain(executablePath))('in a browser, from a page of another origin', () => {
  let browser: Browser;
  let declared: PageServer;
  let undeclared: PageServer;
  beforeAll(async () => {
    const code = await bundleForBrowsers(join(import.meta.dirname, 'page.ts'));
    [declared, undeclared] = await Promise.all([servePage(code), servePage(code)]);
    browser = await chromium.launch({ executablePath, headless: true, args: [...args, ...quiet] });
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([declared?.close(), undeclared?.close()]);
  });

  /** Calls a function of the page's, and hands out what it resolves with. */
  async function inPage(origin: string, name: 'play' | 'fail', way: Way): Promise<unknown> {
    const page = await browser.newPage();
    try {
      await page.goto(origin, { waitUntil: 'load' });
      return await page.evaluate(`${name}(${JSON.stringify(way)})`);
    } finally {
      await page.close();
    }
  }

  const withPages = (use: (url: string, key: string) => Promise<void>) =>
    withHarness(({ httpUrl, agentKey }) => use(httpUrl, agentKey), { TETHER_CORS_ORIGINS: declared.origin });

  test.each(['connect', 'grpc-web'] as const)(
    'the harness prints the transcript by %s, and a structured error arrives whole',
    (protocol) =>
      withPages(async (url, key) => {
        expect(await inPage(declared.origin, 'play', { protocol, url, key })).toBe(transcript);
        expect(await inPage(declared.origin, 'fail', { protocol, url, key })).toMatchObject({
          ...{ name: 'TetherError', code: 'INVALID_ARGUMENTS', status: 'INVALID_ARGUMENT', answered: true },
          ...{ field: 'ticket_id', received: 17, effect: 'NONE', retryable: false },
          requestId: expect.stringMatching(/^[\w-]{8,}$/),
        });
      }),
  );

  test('a page of an origin that is not declared gets no answer', () =>
    withPages(async (url, key) => {
      expect(await inPage(undeclared.origin, 'fail', { protocol: 'connect', url, key })).toMatchObject({
        ...{ answered: false, effect: 'UNKNOWN' },
      });
    }));
});
