import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCatalog, type LiveCatalog } from '../../server/catalog/create-catalog.ts';

const catalogOf = (...tools: string[]): string =>
  JSON.stringify({
    version: 1,
    endpoints: { pos: { transport: 'json', url: 'http://127.0.0.1:1' } },
    tools: Object.fromEntries(
      tools.map((name) => [name, { endpoint: 'pos', description: 'It.', input: { type: 'object' } }]),
    ),
  });

/** A logger whose lines can be awaited. */
function createLines() {
  const waiting: { level: string; seen: (line: unknown) => void }[] = [];
  const log = (level: string) => (fields: unknown) => {
    for (const [index, each] of waiting.entries()) {
      if (each.level !== level) continue;
      waiting.splice(index, 1);
      each.seen(fields);
      return;
    }
  };
  return {
    logger: { info: log('info'), warn: log('warn'), error: log('error') },
    next: (level: 'info' | 'error') => new Promise<unknown>((seen) => waiting.push({ level, seen })),
  };
}

let directory: string;
let path: string;
let opened: LiveCatalog[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tether-catalog-'));
  path = join(directory, 'tether.yaml');
});

afterEach(async () => {
  await Promise.all(opened.map((catalog) => catalog.close()));
  opened = [];
  await rm(directory, { recursive: true });
});

async function open(lines = createLines()): Promise<LiveCatalog> {
  const catalog = await createCatalog({ path, env: {}, logger: lines.logger });
  opened.push(catalog);
  return catalog;
}

test('a tool that is not declared is not found, whatever it is called', async () => {
  await writeFile(path, catalogOf('get_ticket'));
  const catalog = await open();
  expect(catalog.names()).toEqual(['get_ticket']);
  expect(catalog.find('get_ticket')).toMatchObject({ name: 'get_ticket', endpoint: 'pos' });
  expect(catalog.endpoint('pos')).toMatchObject({ url: 'http://127.0.0.1:1' });
  for (const name of ['constructor', '__proto__', 'toString', 'GET_TICKET', '']) {
    expect(catalog.find(name)).toBeUndefined();
    expect(catalog.endpoint(name)).toBeUndefined();
  }
});

test('without a good catalog to begin with there is none, and every reason is told', async () => {
  await expect(open()).rejects.toThrow(`${path} There is no such file: TETHER_CATALOG names the catalog.`);
  await writeFile(path, 'version: 1\nendpoints: []\ntools: 7\n');
  await expect(open()).rejects.toThrow(/tether\.yaml:2:\d+ endpoints: .*\n.*tether\.yaml:3:\d+ tools: /);
  await writeFile(path, Buffer.from([0x76, 0xff, 0xfe]));
  await expect(open()).rejects.toThrow('not UTF-8');
});

test.each([
  ['written in place', (text: string) => writeFile(path, text)],
  [
    'replaced by a rename',
    async (text: string) => {
      await writeFile(`${path}~`, text);
      await rename(`${path}~`, path);
    },
  ],
])('a file that is %s is read again without a restart', async (_, write) => {
  await writeFile(path, catalogOf('get_ticket'));
  const lines = createLines();
  const catalog = await open(lines);
  for (const tool of ['void_ticket', 'refund']) {
    const read = lines.next('info');
    await write(catalogOf(tool));
    expect(await read).toMatchObject({ tools: 1 });
    expect(catalog.names()).toEqual([tool]);
  }
});

test('a link that is swapped underneath, as Kubernetes does, is followed', async () => {
  await writeFile(join(directory, 'one.yaml'), catalogOf('one'));
  await writeFile(join(directory, 'two.yaml'), catalogOf('two'));
  await symlink('one.yaml', join(directory, '..data'));
  await symlink('..data', path);
  const lines = createLines();
  const catalog = await open(lines);
  const read = lines.next('info');
  await symlink('two.yaml', join(directory, '..next'));
  await rename(join(directory, '..next'), join(directory, '..data'));
  await read;
  expect(catalog.names()).toEqual(['two']);
});

test('a broken file changes nothing, and its problems are logged; the next good one counts', async () => {
  await writeFile(path, catalogOf('get_ticket'));
  const lines = createLines();
  const catalog = await open(lines);
  const before = catalog.find('get_ticket');

  const refused = lines.next('error');
  await writeFile(path, catalogOf('get_ticket', 'void_ticket').replace('"pos","desc', '"nowhere","desc'));
  expect(await refused).toMatchObject({ problems: [expect.stringContaining('No endpoint is called "nowhere"')] });
  expect(catalog.find('get_ticket')).toBe(before);
  expect(catalog.find('void_ticket')).toBeUndefined();

  const removed = lines.next('error');
  await rm(path);
  expect(await removed).toMatchObject({ problems: [expect.stringContaining('There is no such file')] });
  expect(catalog.find('get_ticket')).toBe(before);

  const read = lines.next('info');
  await writeFile(path, catalogOf('void_ticket'));
  await read;
  expect(catalog.names()).toEqual(['void_ticket']);
});

test('it can be read again by hand, and then its problems are told', async () => {
  await writeFile(path, catalogOf('get_ticket'));
  const catalog = await open();
  expect(await catalog.reload()).toEqual([]);
  await writeFile(path, 'version: 2');
  const problems = await catalog.reload();
  expect(problems.map((problem) => problem.path)).toContain('version');
  expect(catalog.names()).toEqual(['get_ticket']);
});

test('who answers probes and who is asked before a confirm follow the file too', async () => {
  const authorizer = { transport: 'json', url: 'http://127.0.0.1:2/authorize' };
  const pos = { transport: 'json', url: 'http://127.0.0.1:1', probe: true };
  await writeFile(path, catalogOf('get_ticket'));
  const catalog = await open();
  expect(catalog.answersProbes('pos')).toBe(false);
  expect(catalog.authorizer()).toBeUndefined();
  await writeFile(path, JSON.stringify({ version: 1, authorizer, endpoints: { pos }, tools: {} }));
  expect(await catalog.reload()).toEqual([]);
  expect(catalog.answersProbes('pos')).toBe(true);
  expect(catalog.answersProbes('till')).toBe(false);
  expect(catalog.authorizer()).toMatchObject({ name: 'authorizer', url: authorizer.url, maxAttempts: 1 });
});
