import { execFile, execFileSync } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

vi.setConfig({ testTimeout: 120_000 });

const root = fileURLToPath(new URL('../../', import.meta.url));
const env = {
  ...process.env,
  PATH: [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
};

let tree: string;

beforeEach(async () => {
  tree = await mkdtemp(join(tmpdir(), 'tether-check-'));
});

afterEach(() => rm(tree, { recursive: true, force: true }));

/** `npm run check -- <steps>` in the tree: its exit code and all that it says. */
function check(...steps: string[]): Promise<{ code: unknown; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(root, 'scripts/check.ts'), ...steps], { cwd: tree, env }, (error, out, err) => {
      resolve({ code: error?.code ?? 0, said: out + err });
    });
  });
}

function git(...args: string[]): void {
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  execFileSync('git', [...who, ...args], { cwd: tree, env, stdio: 'pipe' });
}

function commit(message: string): void {
  git('add', '--all', '--force');
  git('commit', '--quiet', '--message', message);
}

async function copyContract(): Promise<void> {
  for (const path of ['proto', 'proto-rules', 'buf.yaml', 'buf.gen.yaml', 'buf.gen.clients.yaml', 'gen'])
    await cp(join(root, path), join(tree, path), { recursive: true });
}

const inPython = (path: string) => join('clients/python', path);

async function edit(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(join(tree, file), 'utf8');
  expect(text).toContain(from);
  await writeFile(join(tree, file), text.replace(from, to));
}

const breaks = () => edit('proto/tether/v1/action.proto', 'string tenant_id = 2;', 'string tenant_id = 222;');
const extends_ = () =>
  edit(
    'proto/tether/v1/action.proto',
    'string tenant_id = 2;',
    'string tenant_id = 2;\n  // New.\n  string more = 99;',
  );

describe('a contract that breaks its callers', () => {
  beforeEach(async () => {
    git('init', '--quiet', '--initial-branch', 'main');
    await writeFile(join(tree, 'README.md'), 'first');
    commit('before the contract');
    await copyContract();
    commit('the contract');
  });

  test('fails on a branch, committed or not', async () => {
    git('checkout', '--quiet', '-b', 'work');
    await breaks();
    expect(await check('breaking')).toMatchObject({ code: 1, said: expect.stringContaining('tenant_id') });
    commit('break it');
    await writeFile(join(tree, 'README.md'), 'later');
    commit('something else');
    expect(await check('breaking')).toMatchObject({ code: 1, said: expect.stringContaining('against main') });
  });

  test('fails on main, against the commit before', async () => {
    await breaks();
    commit('break it');
    expect(await check('breaking')).toMatchObject({ code: 1, said: expect.stringContaining('the commit before') });
  });

  test('fails against the main branch of the remote when there is one', async () => {
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    await breaks();
    commit('break it');
    await writeFile(join(tree, 'README.md'), 'later');
    commit('something else');
    expect(await check('breaking')).toMatchObject({ code: 1, said: expect.stringContaining('against main') });
  });

  test('is told from one that only grows', async () => {
    git('checkout', '--quiet', '-b', 'work');
    await extends_();
    expect(await check('breaking')).toMatchObject({ code: 0, said: expect.stringContaining('against main') });
  });

  test('is not looked for where there is nothing to compare with, and that is said', async () => {
    expect(await check('breaking')).toMatchObject({ code: 0, said: expect.stringContaining('has no contract yet') });
    git('branch', '--move', 'other');
    expect(await check('breaking')).toMatchObject({ code: 0, said: expect.stringContaining('no main branch') });
    await rm(join(tree, '.git'), { recursive: true });
    expect(await check('breaking')).toMatchObject({ code: 0, said: expect.stringContaining('no git checkout') });
  });
});

describe('what is generated', () => {
  beforeEach(async () => {
    await copyContract();
    for (const path of ['docs', ...['generate.py', 'tests/requirements.txt', 'src/tether/v1'].map(inPython)])
      await cp(join(root, path), join(tree, path), { recursive: true });
    await symlink(join(root, 'node_modules'), join(tree, 'node_modules'));
  });

  test('passes as it is committed', async () => {
    expect(await check('generated')).toMatchObject({ code: 0 });
  });

  test('that was edited, is missing, or is left over fails', async () => {
    await appendFile(join(tree, 'gen/tether/v1/action_pb.ts'), '// by hand\n');
    await rm(join(tree, 'gen/tether/v1/effect_pb.ts'));
    await writeFile(join(tree, 'gen/tether/v1/old_pb.ts'), '');
    await appendFile(join(tree, 'gen/clients/tether/v1/tool_pb.ts'), '// by hand\n');
    const { code, said } = await check('generated');
    expect(code).toBe(1);
    expect(said).toContain('action_pb.ts: differs');
    expect(said).toContain('effect_pb.ts: is missing');
    expect(said).toContain('old_pb.ts: no proto makes this file');
    expect(said).toContain('gen/clients/tether/v1/tool_pb.ts: differs');
  });

  test('and edited in a document fails', async () => {
    await edit('docs/errors.md', '| `CONFIRM_IN_FLIGHT` | ABORTED |', '| `CONFIRM_IN_FLIGHT` | INTERNAL |');
    await edit('docs/lifecycle.md', 'PENDING --> EXECUTING: claim', 'PENDING --> FAILED: claim');
    const { code, said } = await check('generated');
    expect(code).toBe(1);
    expect(said).toContain('docs/errors.md: differs');
    expect(said).toContain('docs/lifecycle.md: differs');
  });

  test('and has no place in any document fails', async () => {
    await edit('docs/errors.md', '<!-- generated: call errors -->', '');
    expect(await check('generated')).toMatchObject({ code: 1, said: expect.stringContaining('"call errors"') });
  });
});

describe('a document', () => {
  beforeEach(async () => {
    await mkdir(join(tree, 'docs'));
    await writeFile(join(tree, 'package.json'), '{"scripts":{"start":"x","check":"x"}}');
    await writeFile(join(tree, 'docs/a.md'), '# One, two\n\n```\n[x](not-a-link.md)\n```\n');
  });

  test('passes when all that it names is there', async () => {
    await writeFile(
      join(tree, 'README.md'),
      '`npm start`, `npm run check`, [a](docs/a.md#one-two), [up](#top)\n# Top\n',
    );
    expect(await check('documents')).toMatchObject({ code: 0 });
  });

  test.each([
    ['`npm test`', 'npm script "test"'],
    ['`npm run nothing`', 'npm script "nothing"'],
    ['`node server/nothing.ts`', 'program "server/nothing.ts"'],
    ['[a](docs/b.md)', 'link "docs/b.md"'],
    ['[a](docs/a.md#three)', 'link "docs/a.md#three"'],
  ])('that says %s fails', async (text, fault) => {
    await writeFile(join(tree, 'README.md'), text);
    expect(await check('documents')).toMatchObject({ code: 1, said: expect.stringContaining(fault) });
  });
});

test('an unknown step is answered with the steps there are', async () => {
  expect(await check('nothing')).toMatchObject({ code: 2, said: expect.stringContaining('breaking') });
});
