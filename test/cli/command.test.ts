import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settings } from '../../server/settings.ts';
import { tether } from './run.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const good = `version: 1
endpoints: { pos: { transport: json, url: "http://127.0.0.1:9/tools" } }
tools:
  get_ticket:
    endpoint: pos
    description: One ticket by its id, with its total in USD.
    input: { type: object, properties: { id: { type: string } }, additionalProperties: false }
  send_receipt:
    endpoint: pos
    description: Sends the receipt to the guest.
    input: { type: object, properties: {}, additionalProperties: false }
`;

let home: string;
const at = (name: string): string => join(home, name);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tether-cli-'));
  await writeFile(at('good.yaml'), good);
  await writeFile(at('clean.yaml'), good.slice(0, good.indexOf('  send_receipt')));
  await writeFile(at('bad.yaml'), good.replace('json', 'rest').replace('endpoint: pos', 'endpoint: poss'));
});

afterAll(() => rm(home, { recursive: true, force: true }));

describe('tether tools check', () => {
  test('prints every warning with its line, and exits with 0', async () => {
    const { out, err, code } = await tether(['tools', 'check', at('good.yaml')]);
    expect({ err, code }).toEqual({ err: '', code: 0 });
    const [first, last, ...rest] = out.trimEnd().split('\n');
    expect(first).toMatch(
      /good\.yaml:8:3 tools\.send_receipt: warning: "send" sounds like an effect.* \[read-like-write\]$/,
    );
    expect(last).toBe(`${at('good.yaml')} can be used: 2 reads, 0 writes; 1 warning.`);
    expect(rest).toEqual([]);
  });

  test('exits with 1 for warnings only when it is asked to be strict', async () => {
    expect((await tether(['tools', 'check', at('good.yaml'), '--strict'])).code).toBe(1);
    expect(await tether(['tools', 'check', at('clean.yaml'), '--strict'])).toEqual({
      out: `${at('clean.yaml')} can be used: 1 read, 0 writes; no warnings.\n`,
      err: '',
      code: 0,
    });
  });

  test('of a catalog that cannot be used prints every problem with its line, and exits with 2', async () => {
    const { out, code } = await tether(['tools', 'check', at('bad.yaml')]);
    expect(out).toMatch(/bad\.yaml:2:32 endpoints\.pos\.transport: Must be json, connect or grpc, and is "rest"/);
    expect(out).toMatch(/bad\.yaml cannot be used: 1 problem\.\n$/);
    expect(code).toBe(2);
  });

  test('takes the catalog that the server would take when none is named', async () => {
    const { out, code } = await tether(['tools', 'check'], { TETHER_CATALOG: at('clean.yaml') });
    expect(out).toContain('clean.yaml can be used');
    expect(code).toBe(0);
    expect(await tether(['tools', 'check', at('nowhere.yaml')])).toMatchObject({
      code: 2,
      out: expect.stringContaining('There is no such file'),
    });
  });

  test('prints what it found as JSON, for machines', async () => {
    const found = await tether(['tools', 'check', at('good.yaml'), '--json']);
    expect(JSON.parse(found.out)).toEqual({
      catalog: at('good.yaml'),
      usable: true,
      problems: [],
      warnings: [
        {
          rule: 'read-like-write',
          tool: 'send_receipt',
          path: 'tools.send_receipt',
          line: 8,
          column: 3,
          message: expect.stringContaining('"send"'),
        },
      ],
    });
    const bad = JSON.parse((await tether(['tools', 'check', at('bad.yaml'), '--json'])).out);
    expect(bad).toMatchObject({
      usable: false,
      problems: [{ line: 2, path: 'endpoints.pos.transport' }],
      warnings: [],
    });
  });

  test('the catalog of the example gives nothing to warn about', async () => {
    const { out, code } = await tether(['tools', 'check', 'examples/point-of-sale/tether.yaml', '--strict'], {
      POS_SIGNING_SECRET: `whsec_${'A'.repeat(43)}=`,
    });
    expect(out).toContain('no warnings');
    expect(code).toBe(0);
  });
});

describe('the command', () => {
  test.each<[readonly string[], RegExp]>([
    [[], /Usage: tether /],
    [['tools'], /Usage: tether tools /],
    [['tols'], /Did you mean tools\?/],
    [['tools', 'chek'], /Did you mean check\?/],
    [['tools', 'check', '--stict'], /Did you mean --strict\?/],
    [['tools', 'check', 'a.yaml', 'b.yaml'], /too many arguments/],
  ])('called in a wrong way says so and exits with 2: %j', async (args, message) => {
    const { err, code } = await tether(args);
    expect(err).toMatch(message);
    expect(code).toBe(2);
  });

  test('helps: what there is, what it looks for, examples, exit codes, settings', async () => {
    const check = await tether(['tools', 'check', '--help']);
    expect(check.code).toBe(0);
    for (const word of ['--sample', '--strict', '--json', 'Examples:', 'Exit codes:', 'vendor-guide.md']) {
      expect(check.out).toContain(word);
    }
    const serve = await tether(['serve', '--help']);
    for (const name of Object.keys(settings)) expect(serve.out).toContain(name);
  });

  test('is typed in a checkout as the README says', async () => {
    const { stdout } = await promisify(execFile)('npm', ['exec', '--', 'tether', 'config', '--json'], { cwd: root });
    expect(JSON.parse(stdout).settings).toContainEqual(expect.objectContaining({ name: 'TETHER_CATALOG' }));
  });

  test('serve is the server: it says why it cannot start', async () => {
    const { err, code } = await tether(['serve'], { TETHER_HTTP_PORT: 'x' });
    expect(err).toContain('tether cannot start: the settings cannot be used');
    expect(code).toBe(1);
  });
});
