import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');

interface Violation {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

/** Runs dependency-cruiser with the repository's rules over the folders of a tree that exist. */
function violations(tree: string, folders: readonly string[]): Promise<Violation[]> {
  const args = [cruiser, '--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json', ...folders];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: tree, maxBuffer: 64 * 1024 * 1024 }, (_, stdout, stderr) => {
      try {
        const { summary } = JSON.parse(stdout);
        resolve(
          summary.violations.map((each: { rule: { name: string }; from: string; to: string }) => ({
            rule: each.rule.name,
            from: each.from,
            to: each.to,
          })),
        );
      } catch (error) {
        reject(new Error(`dependency-cruiser said:\n${stdout}\n${stderr}`, { cause: error }));
      }
    });
  });
}

let tree: string;

beforeEach(async () => {
  tree = await mkdtemp(join(tmpdir(), 'tether-imports-'));
});

afterEach(() => rm(tree, { recursive: true, force: true }));

/** A small Tether: one file per layer, without imports. */
const layers = [
  'server/main.ts',
  'server/serve.ts',
  'server/app.ts',
  'server/config.ts',
  'server/ids.ts',
  'server/prepare-schema.ts',
  'server/domain/action.ts',
  'server/lifecycle/ports/action-store.ts',
  'server/lifecycle/stage.ts',
  'server/store/action-store.ts',
  'server/dispatch/policy.ts',
  'server/dispatch/transports/grpc.ts',
  'server/catalog/load.ts',
  'server/tokens/verify.ts',
  'server/doors/pipeline.ts',
  'server/jobs/sweep.ts',
  'server/process/readiness.ts',
  'server/telemetry/create-log.ts',
  'server/cli/serve.ts',
  'gen/tether/v1/action_pb.ts',
  'clients/typescript/src/client.ts',
  'clients/typescript/src/node.ts',
  'clients/endpoint/src/endpoint.ts',
  'clients/endpoint/src/node.ts',
  'clients/endpoint/src/grpc.ts',
  'clients/endpoint/src/ledger/pg.ts',
  'clients/endpoint/src/ledger/sql.ts',
  'clients/endpoint-check/src/vendor.ts',
  'examples/point-of-sale/main.ts',
  'test/domain/action.test.ts',
  'bench/main.ts',
  'scripts/start.ts',
] as const;
type Layer = (typeof layers)[number];

async function build(imports: readonly (readonly [from: Layer, to: Layer | string])[], kind: 'value' | 'type') {
  const text = new Map<string, string>(
    layers.map((layer) => [layer, 'export const here = 1;\nexport type Here = 1;\n']),
  );
  for (const [number, [from, to]] of imports.entries()) {
    const specifier = (layers as readonly string[]).includes(to) ? relativeTo(from, to) : to;
    const line =
      kind === 'value'
        ? `import * as import${number} from '${specifier}';\nconsole.log(import${number});\n`
        : `import type { Here as Import${number} } from '${specifier}';\nexport type Uses${number} = Import${number};\n`;
    text.set(from, line + text.get(from));
  }
  await mkdir(join(tree, 'gen'), { recursive: true });
  await writeFile(join(tree, 'gen/package.json'), '{"name":"@tether/proto","exports":{"./*":"./*"}}');
  await mkdir(join(tree, 'node_modules/@tether'), { recursive: true });
  await symlink('../../gen', join(tree, 'node_modules/@tether/proto'));
  await mkdir(join(tree, 'node_modules/undeclared'));
  await writeFile(join(tree, 'node_modules/undeclared/index.js'), 'export const here = 1;');
  await writeFile(join(tree, 'package.json'), '{"dependencies":{"@tether/proto":"0.1.0"}}');
  for (const [file, content] of text) {
    await mkdir(join(tree, dirname(file)), { recursive: true });
    await writeFile(join(tree, file), content);
  }
}

function relativeTo(from: string, to: string): string {
  const path = relative(dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

const folders = ['server', 'gen', 'clients', 'examples', 'test', 'bench', 'scripts'];

const allowed: readonly (readonly [Layer, Layer | string])[] = [
  ['server/main.ts', 'server/serve.ts'],
  ['server/serve.ts', 'server/app.ts'],
  ['server/serve.ts', 'server/config.ts'],
  ['server/cli/serve.ts', 'server/app.ts'],
  ['server/app.ts', 'server/store/action-store.ts'],
  ['server/app.ts', 'server/dispatch/policy.ts'],
  ['server/app.ts', 'server/catalog/load.ts'],
  ['server/app.ts', 'server/tokens/verify.ts'],
  ['server/app.ts', 'server/doors/pipeline.ts'],
  ['server/app.ts', 'server/jobs/sweep.ts'],
  ['server/app.ts', 'server/process/readiness.ts'],
  ['server/app.ts', 'server/telemetry/create-log.ts'],
  ['server/telemetry/create-log.ts', 'server/lifecycle/ports/action-store.ts'],
  ['server/process/readiness.ts', 'server/lifecycle/ports/action-store.ts'],
  ['server/app.ts', 'server/ids.ts'],
  ['server/app.ts', 'server/prepare-schema.ts'],
  ['server/prepare-schema.ts', 'server/store/action-store.ts'],
  ['server/prepare-schema.ts', 'server/jobs/sweep.ts'],
  ['server/ids.ts', 'server/lifecycle/ports/action-store.ts'],
  ['server/lifecycle/stage.ts', 'server/domain/action.ts'],
  ['server/lifecycle/stage.ts', 'server/lifecycle/ports/action-store.ts'],
  ['server/store/action-store.ts', 'server/lifecycle/ports/action-store.ts'],
  ['server/dispatch/policy.ts', 'server/lifecycle/ports/action-store.ts'],
  ['server/dispatch/policy.ts', 'server/dispatch/transports/grpc.ts'],
  ['server/dispatch/transports/grpc.ts', '@tether/proto/tether/v1/action_pb.ts'],
  ['server/catalog/load.ts', 'server/lifecycle/ports/action-store.ts'],
  ['server/tokens/verify.ts', 'server/lifecycle/ports/action-store.ts'],
  ['server/tokens/verify.ts', 'server/domain/action.ts'],
  ['server/doors/pipeline.ts', '@tether/proto/tether/v1/action_pb.ts'],
  ['server/doors/pipeline.ts', 'server/lifecycle/stage.ts'],
  ['server/jobs/sweep.ts', 'server/lifecycle/ports/action-store.ts'],
  ['server/domain/action.ts', 'node:crypto'],
  ['clients/typescript/src/client.ts', '@tether/proto/tether/v1/action_pb.ts'],
  ['clients/typescript/src/node.ts', 'node:http2'],
  ['clients/typescript/src/node.ts', 'clients/typescript/src/client.ts'],
  ['clients/endpoint/src/node.ts', 'node:http'],
  ['clients/endpoint/src/node.ts', 'clients/endpoint/src/endpoint.ts'],
  ['clients/endpoint/src/grpc.ts', '@tether/proto/tether/v1/action_pb.ts'],
  ['clients/endpoint/src/ledger/pg.ts', 'clients/endpoint/src/ledger/sql.ts'],
  ['clients/endpoint-check/src/vendor.ts', 'node:http2'],
  ['clients/endpoint-check/src/vendor.ts', '@tether/proto/tether/v1/action_pb.ts'],
  ['examples/point-of-sale/main.ts', 'clients/endpoint/src/endpoint.ts'],
  ['test/domain/action.test.ts', 'clients/typescript/src/client.ts'],
  ['test/domain/action.test.ts', 'server/domain/action.ts'],
  ['bench/main.ts', 'server/app.ts'],
];

const forbidden: readonly (readonly [Layer, Layer | string, rule: string])[] = [
  ['server/domain/action.ts', 'server/lifecycle/ports/action-store.ts', 'domain-imports-nothing-of-ours'],
  ['server/domain/action.ts', 'gen/tether/v1/action_pb.ts', 'domain-imports-nothing-of-ours'],
  ['server/domain/action.ts', 'node:fs', 'domain-does-no-io'],
  ['server/lifecycle/stage.ts', 'server/store/action-store.ts', 'lifecycle-imports-domain'],
  ['server/lifecycle/stage.ts', 'server/doors/pipeline.ts', 'lifecycle-imports-domain'],
  ['server/lifecycle/stage.ts', '@tether/proto/tether/v1/action_pb.ts', 'generated-code-stays-at-the-edge'],
  ['server/store/action-store.ts', 'server/lifecycle/stage.ts', 'store-implements-ports'],
  ['server/store/action-store.ts', 'server/dispatch/policy.ts', 'store-implements-ports'],
  ['server/dispatch/policy.ts', 'server/catalog/load.ts', 'dispatch-implements-ports'],
  ['server/dispatch/policy.ts', 'server/store/action-store.ts', 'dispatch-implements-ports'],
  ['server/dispatch/policy.ts', '@tether/proto/tether/v1/action_pb.ts', 'generated-code-stays-at-the-edge'],
  ['server/catalog/load.ts', 'server/store/action-store.ts', 'catalog-implements-ports'],
  ['server/tokens/verify.ts', 'server/catalog/load.ts', 'tokens-implements-ports'],
  ['server/tokens/verify.ts', 'server/store/action-store.ts', 'tokens-implements-ports'],
  ['server/tokens/verify.ts', 'server/lifecycle/stage.ts', 'tokens-implements-ports'],
  ['server/tokens/verify.ts', '@tether/proto/tether/v1/action_pb.ts', 'generated-code-stays-at-the-edge'],
  ['server/doors/pipeline.ts', 'server/tokens/verify.ts', 'doors-lead-to-the-lifecycle'],
  ['server/doors/pipeline.ts', 'server/store/action-store.ts', 'doors-lead-to-the-lifecycle'],
  ['server/doors/pipeline.ts', 'server/dispatch/policy.ts', 'doors-lead-to-the-lifecycle'],
  ['server/jobs/sweep.ts', 'server/store/action-store.ts', 'jobs-run-the-lifecycle'],
  ['server/process/readiness.ts', 'server/store/action-store.ts', 'process-implements-ports'],
  ['server/telemetry/create-log.ts', 'server/store/action-store.ts', 'telemetry-implements-ports'],
  ['server/doors/pipeline.ts', 'server/telemetry/create-log.ts', 'doors-lead-to-the-lifecycle'],
  ['server/process/readiness.ts', 'server/config.ts', 'layers-know-nothing-of-the-process'],
  ['server/main.ts', 'server/store/action-store.ts', 'app-is-the-only-wiring'],
  ['server/config.ts', 'server/domain/action.ts', 'app-is-the-only-wiring'],
  ['server/ids.ts', 'server/store/action-store.ts', 'ids-implement-a-port'],
  ['server/prepare-schema.ts', 'server/lifecycle/stage.ts', 'the-schema-is-of-store-and-queue'],
  ['server/store/action-store.ts', 'server/app.ts', 'layers-know-nothing-of-the-process'],
  ['server/doors/pipeline.ts', 'server/config.ts', 'layers-know-nothing-of-the-process'],
  ['server/app.ts', 'test/domain/action.test.ts', 'product-stands-alone'],
  ['server/app.ts', 'examples/point-of-sale/main.ts', 'product-stands-alone'],
  ['server/app.ts', 'bench/main.ts', 'product-stands-alone'],
  ['clients/typescript/src/client.ts', 'server/domain/action.ts', 'clients-know-the-contract'],
  ['clients/typescript/src/client.ts', 'test/domain/action.test.ts', 'clients-know-the-contract'],
  ['clients/typescript/src/client.ts', 'node:fs', 'browsers-have-no-node'],
  ['clients/typescript/src/client.ts', 'clients/typescript/src/node.ts', 'browsers-can-run-it'],
  ['clients/typescript/src/client.ts', 'undeclared', 'packages-are-declared'],
  ['clients/endpoint/src/endpoint.ts', 'server/domain/action.ts', 'clients-know-the-contract'],
  ['clients/endpoint/src/endpoint.ts', 'node:crypto', 'endpoints-run-anywhere'],
  ['clients/endpoint/src/ledger/sql.ts', 'node:fs', 'endpoints-run-anywhere'],
  ['clients/endpoint/src/endpoint.ts', '@tether/proto/tether/v1/action_pb.ts', 'nobody-gets-what-they-do-not-use'],
  ['clients/endpoint/src/endpoint.ts', 'clients/endpoint/src/grpc.ts', 'nobody-gets-what-they-do-not-use'],
  ['clients/endpoint/src/ledger/sql.ts', 'undeclared', 'nobody-gets-what-they-do-not-use'],
  ['clients/endpoint-check/src/vendor.ts', 'clients/endpoint/src/endpoint.ts', 'the-judge-is-no-party'],
  ['server/app.ts', 'clients/typescript/src/client.ts', 'server-needs-no-clients'],
  ['examples/point-of-sale/main.ts', 'server/domain/action.ts', 'examples-are-strangers'],
  ['server/app.ts', './nowhere.ts', 'everything-resolves'],
  ['server/store/action-store.ts', 'undeclared', 'packages-are-declared'],
];

test('the repository keeps its import rules', async () => {
  expect(
    await violations(
      root,
      folders.filter((folder) => existsSync(join(root, folder))),
    ),
  ).toEqual([]);
});

test.each(['value', 'type'] as const)('imports that run the right way are let through (%s imports)', async (kind) => {
  await build(allowed, kind);
  expect(await violations(tree, folders)).toEqual([]);
});

test.each(['value', 'type'] as const)('each import that runs the wrong way is caught (%s imports)', async (kind) => {
  await build(
    forbidden.map(([from, to]) => [from, to] as const),
    kind,
  );
  const found = await violations(tree, folders);
  for (const [from, to, rule] of forbidden) {
    const target = to
      .replace(/^@tether\/proto/, 'gen')
      .replace(/^node:/, '')
      .replace(/^undeclared$/, 'node_modules/undeclared/index.js');
    expect(found, `${from} → ${to}`).toContainEqual({ rule, from, to: target });
  }
});

test('an import circle is caught', async () => {
  await build(
    [
      ['server/lifecycle/stage.ts', 'server/lifecycle/ports/action-store.ts'],
      ['server/lifecycle/ports/action-store.ts', 'server/lifecycle/stage.ts'],
    ],
    'type',
  );
  expect((await violations(tree, folders)).map(({ rule }) => rule)).toContain('no-cycles');
});
